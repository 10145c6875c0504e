import type { HeaderList, Redaction } from "../../core/model/message/message.ts";
import type { Run } from "../../core/model/workflow/run.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { visible } from "../../core/views/redact.ts";
import { base64Of, textOf } from "../message/body.ts";
import type { BodyTrim } from "./run-log-query.ts";

/** Shows what runs carry: hidden as they asked, and as long as the reader asked. */
export class RunBodies {
  readonly #redact: Redaction | undefined;
  readonly #trim: BodyTrim;

  constructor(redact: Redaction | undefined, trim: BodyTrim) {
    // The hash that is kept is that of the payload, and of nothing else.
    this.#redact = redact && { ...redact, bodyHash: undefined };
    this.#trim = trim;
  }

  /** What the run was given, or what its steps and calls gave back. */
  ofRun(body: Uint8Array | string | undefined): string | undefined {
    if (body === undefined || this.#trim === "none") return undefined;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const shown = visible({ headers: [], redact: this.#redact }, bytes).body;
    return typeof shown === "string" ? shown : this.answer(shown);
  }

  /** What an endpoint answered when something went wrong; it is never hidden. */
  answer(body: Uint8Array): string | undefined {
    if (this.#trim === "none") return undefined;
    const cut = this.#trim === "whole" ? body : body.subarray(0, this.#trim);
    return textOf(cut) ?? (textOf(body) === null ? base64Of(cut) : new TextDecoder().decode(cut));
  }

  /** What third parties answer is what calls give back. */
  answered(isCall: boolean, body: Uint8Array): string | undefined {
    return isCall ? this.ofRun(body) : this.answer(body);
  }

  /** What a run was given that this one invoked; it hides all that this one hides, and more. */
  given({ headers, redact }: Pick<Run, "headers" | "redact">, payload: Uint8Array) {
    const shown = visible({ headers, redact }, payload);
    const body = typeof shown.body === "string" ? shown.body : this.answer(shown.body);
    return {
      body: this.#trim === "none" ? undefined : body,
      headers: headerRecord(shown.headers),
    };
  }

  headers(headers: HeaderList): Record<string, string[]> | undefined {
    const nothing = new Uint8Array(0);
    return headerRecord(visible({ headers, redact: this.#redact }, nothing).headers);
  }
}
