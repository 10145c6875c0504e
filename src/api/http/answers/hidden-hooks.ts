import { hideHooks } from "../../../core/views/hide-hooks.ts";
import type { Answer, Stream } from "./answer.ts";

/** The answer for a read-only token: without what lets a run continue. */
export function withHooksHidden(answer: Answer): Answer {
  const { body, isLive = false } = answer;
  if (typeof body === "string") return { ...answer, body: hideHooks(body) };
  // What all callers share holds nothing of one account.
  if (body instanceof Uint8Array) return answer;
  return { ...answer, body: isLive ? eachHidden(body) : hiddenAcross(body) };
}

/** Each piece of a live stream is whole, and is sent at once. */
async function* eachHidden(pieces: Stream): AsyncGenerator<string> {
  for await (const piece of pieces) yield hideHooks(textOf(piece));
}

/** A secret may be cut by the end of a piece, so the end is kept until more has come. */
async function* hiddenAcross(pieces: Stream): AsyncGenerator<string> {
  let kept = "";
  for await (const piece of pieces) {
    const text = hideHooks(kept + textOf(piece), false);
    kept = endOf(text);
    const ready = text.slice(0, text.length - kept.length);
    if (ready !== "") yield ready;
  }
  if (kept !== "") yield hideHooks(kept);
}

/** Each half of a surrogate pair alone would be encoded as another character. */
function endOf(text: string): string {
  const kept = text.slice(-KEPT_CHARACTERS);
  return /^[\uDC00-\uDFFF]/.test(kept) ? text.slice(-KEPT_CHARACTERS - 1) : kept;
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === "string" ? piece : Buffer.from(piece).toString();
}

/** More than the URL of a webhook has, encoded three times. */
const KEPT_CHARACTERS = 4 * 1024;
