/** Sends what was recorded to a program of the developer, as a delivery of the server. */
import type { HeaderLists } from "../../../sdk/src/answers/words.ts";
import type { Outcome } from "../../core/model/message/attempt.ts";
import type { HeaderList, Message } from "../../core/model/message/message.ts";
import { HttpCourier } from "../../delivery/http-courier.ts";
import { devCredentials } from "../../operations/account/public-credentials.ts";
import { systemClock } from "../../platform/clock.ts";
import { createIds } from "../../platform/ids.ts";
import { CommandError } from "../command-error.ts";

/** What a delivery needs beside the parts that are the same for every replay. */
export type ReplayedMessage = Pick<
  Message,
  "messageId" | "kind" | "method" | "headers" | "callerIp" | "createdAt"
> &
  Partial<Pick<Message, "urlGroup" | "scheduleId" | "run">>;

export class ReplayTarget {
  readonly url: string;
  /** Which key the signatures are made with. */
  readonly signedWith: string;
  readonly #signingKey: string;
  readonly #courier = new HttpCourier({
    clock: systemClock,
    ids: createIds(),
    policy: { mode: "dev", allow: [], httpsOnly: false },
    region: "replay",
  });

  /** A target without a path gets the path of the recorded URL. */
  constructor(to: string, recordedUrl: string) {
    const target = URL.parse(to);
    if (target === null || !/^https?:$/.test(target.protocol)) {
      throw new CommandError(`--to must be a URL such as http://localhost:3000, but is ${to}`);
    }
    const recorded = URL.parse(recordedUrl);
    const isBare = target.pathname === "/" && target.search === "";
    this.url =
      isBare && recorded !== null
        ? `${target.origin}${recorded.pathname}${recorded.search}`
        : target.href;
    const given = process.env["POSTRIDER_CURRENT_SIGNING_KEY"] ?? "";
    this.#signingKey = given === "" ? devCredentials().currentSigningKey : given;
    this.signedWith = given === "" ? "the key of dev" : "POSTRIDER_CURRENT_SIGNING_KEY";
  }

  async send(replayed: ReplayedMessage, body: Uint8Array): Promise<Outcome> {
    const message: Message = {
      ...replayed,
      accountId: "",
      url: this.url,
      // Whichever of them the program reads.
      dialect: "both",
      settings: { timeoutMs: TIMEOUT_MS, retries: 0 },
      notBefore: replayed.createdAt,
    };
    const signingKey = this.#signingKey;
    return this.#courier.send({ message, body, retried: 0, signingKey }).outcome;
  }

  close(): Promise<void> {
    return this.#courier.close();
  }
}

/** Headers as the API shows them, as the list in which they are sent. */
export function headerList(shown: HeaderLists = {}): HeaderList {
  return Object.entries(shown).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
}

/** What came back, in a line. */
export function outcomeText(outcome: Outcome): string {
  return outcome.kind === "answer" ? `status ${outcome.status}` : outcome.error;
}

const TIMEOUT_MS = 15 * 60_000;
