/** Whether a signature was made for a delivery as what it says it is, and for its run. */
import { ForeignSignatureError } from "../errors.ts";
import type { Claims } from "../receiver.ts";
import { type DeliveryKind, kindOf } from "./delivery.ts";
import type { HeaderView } from "./incoming.ts";
import { HEADERS } from "./protocol.ts";
import { type OwnUrl, requireSignedFor, requireSignedForStart } from "./signed-url.ts";

/**
 * Headers are not signed, so a caller could turn one delivery into another. The service signs the
 * kind and the run of what it delivers to the endpoint of a run, and neither for anything else.
 */
export function requireSignedAs(claims: Claims, own: OwnUrl): void {
  const { kind, run, sub } = claims;
  const told = kindOf(own.headers);
  if (told === "start") {
    if (kind !== undefined || run !== undefined) throw otherKind(kind, told);
    return requireSignedForStart(sub, own);
  }
  if (kind === undefined) {
    throw new ForeignSignatureError(
      `the signature is not for a ${told} of a run: it is that of a plain message, ` +
        "or the service is older than this SDK and has to be updated",
    );
  }
  if (kind !== told) throw otherKind(kind, told);
  const wanted = runOf(own.headers);
  if (run !== wanted) {
    throw new ForeignSignatureError(`the signature is for run ${String(run)}, not for ${wanted}`);
  }
  requireSignedFor(sub, own);
}

/** As it is signed: an id may be used again, so the creation time belongs to it. */
function runOf(headers: HeaderView): string {
  return `${headers.get(HEADERS.runId)}@${headers.get(HEADERS.createdAt)}`;
}

function otherKind(signed: unknown, told: DeliveryKind): ForeignSignatureError {
  const what = told === "start" ? "a plain message" : `a ${told}`;
  return new ForeignSignatureError(`the signature is for a ${String(signed)}, not for ${what}`);
}
