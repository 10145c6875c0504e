import type { HeaderList, Redaction } from "../../core/model/message/message.ts";
import type { Run } from "../../core/model/workflow/run.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { visible } from "../../core/views/redact.ts";
import { base64Of, textOf } from "../message/body.ts";
import type { BodyTrim } from "./run-log-query.ts";

/** Shows bodies of runs: redacted as the run asks, and cut as the reader asks. */
export class RunBodies {
  readonly #redact: Redaction | undefined;
  readonly #trim: BodyTrim;

  constructor(redact: Redaction | undefined, trim: BodyTrim) {
    // The stored hash is that of the payload only.
    this.#redact = redact && { ...redact, bodyHash: undefined };
    this.#trim = trim;
  }

  /** The payload of the run, or the result of a step or call. */
  ofRun(body: Uint8Array | string | undefined): string | undefined {
    if (body === undefined || this.#trim === "none") return undefined;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const shown = visible({ headers: [], settings: { redact: this.#redact } }, bytes).body;
    return typeof shown === "string" ? shown : this.answer(shown);
  }

  /** An endpoint's response to a failed delivery; it is never redacted. */
  answer(body: Uint8Array): string | undefined {
    if (this.#trim === "none") return undefined;
    const cut = this.#trim === "whole" ? body : body.subarray(0, this.#trim);
    return textOf(cut) ?? (textOf(body) === null ? base64Of(cut) : new TextDecoder().decode(cut));
  }

  /** The response of a third party is the result of a call. */
  answered(isCall: boolean, body: Uint8Array): string | undefined {
    return isCall ? this.ofRun(body) : this.answer(body);
  }

  /** The payload of an invoked run; it is redacted as both runs ask. */
  given(run: Pick<Run, "headers" | "settings">, payload: Uint8Array) {
    const shown = visible(run, payload);
    const body = typeof shown.body === "string" ? shown.body : this.answer(shown.body);
    return {
      body: this.#trim === "none" ? undefined : body,
      headers: headerRecord(shown.headers),
    };
  }

  headers(headers: HeaderList): Record<string, string[]> | undefined {
    const nothing = new Uint8Array(0);
    return headerRecord(visible({ headers, settings: { redact: this.#redact } }, nothing).headers);
  }
}
