import { SignatureError } from "./errors.ts";
import { bytesFromBase64, textFromBase64 } from "./base64.ts";
import { variableOf } from "./dev-server.ts";
import { OneShotHmac } from "./one-shot-hmac.ts";
import { type OptionNames, requireKnown, requireSpelled } from "./option-names.ts";
import { type Environment, now, nodeCrypto, type NodeCrypto, webCrypto } from "./runtime.ts";
import type { Bytes, WebCryptoKey } from "./web-types.ts";

export interface ReceiverOptions {
  /** `POSTRIDER_CURRENT_SIGNING_KEY` if absent. */
  readonly currentSigningKey?: string | undefined;
  /** `POSTRIDER_NEXT_SIGNING_KEY` if absent. */
  readonly nextSigningKey?: string | undefined;
}

export interface SignedRequest {
  /** The header `Svc-Signature`. */
  readonly signature: string;
  /** The raw body, before it is parsed. */
  readonly body: string | Uint8Array;
  /** Checked if given: the URL that the message was published to. */
  readonly url?: string | undefined;
  /** Called with the claims of a signature that is otherwise good; throws to refuse. */
  readonly checkClaims?: ((claims: Claims) => void) | undefined;
  /** Seconds by which the two clocks may differ. */
  readonly clockTolerance?: number | undefined;
}

/** Verifies that a request comes from the service, unchanged. */
export class Receiver {
  readonly #keys: readonly string[];
  #imported: Promise<WebCryptoKey[]> | undefined;
  #hmacs: Hmac[] | undefined;

  constructor(options: ReceiverOptions = {}) {
    requireSpelled("a receiver", options, RECEIVER);
    const current = options.currentSigningKey ?? variableOf(CURRENT_KEY);
    const next = options.nextSigningKey ?? variableOf(NEXT_KEY);
    this.#keys = [current, next].filter((key) => key !== undefined && key !== "") as string[];
    if (this.#keys.length === 0) {
      throw new SignatureError(`a signing key is needed: pass it, or set ${CURRENT_KEY}`);
    }
  }

  /** A receiver with the keys of the environment, or undefined if it has none. */
  static fromEnvironment(environment: Environment = {}): Receiver | undefined {
    const options = {
      currentSigningKey: variableOf(CURRENT_KEY, environment),
      nextSigningKey: variableOf(NEXT_KEY, environment),
    };
    const some = options.currentSigningKey ?? options.nextSigningKey;
    return some === undefined || some === "" ? undefined : new Receiver(options);
  }

  /** True, or throws an error with the reason. Both keys are tried, so that they can be rotated. */
  async verify(request: SignedRequest): Promise<true> {
    requireKnown("verify", request, SIGNED_REQUEST);
    // A header that a request lacks is undefined or null, which the compiler does not see in JavaScript.
    if (typeof request.signature !== "string") {
      throw new SignatureError("the header Svc-Signature is missing");
    }
    const [header, claims, signature, rest] = request.signature.split(".");
    if (!header || !claims || !signature || rest !== undefined) {
      throw new SignatureError("the signature is not a token of three parts");
    }
    if (header !== USUAL_HEADER && readPart(header)["alg"] !== "HS256") {
      throw new SignatureError("the signature is not made with HS256");
    }
    if (!(await this.#isSigned(`${header}.${claims}`, fromBase64Url(signature)))) {
      throw new SignatureError("the signature is made with another key");
    }
    await checkClaims(readPart(claims), request);
    return true;
  }

  /** Reads a request and verifies it; returns the body, since it can be read only once. */
  async verifyRequest(request: Request, options: { url?: string } = {}): Promise<{ body: string }> {
    const body = new Uint8Array(await request.arrayBuffer());
    const [signature] = SIGNATURE_HEADERS.map((name) => request.headers.get(name)).filter(Boolean);
    if (!signature) throw new SignatureError("the header Svc-Signature is missing");
    await this.verify({ signature, body, ...options });
    return { body: new TextDecoder().decode(body) };
  }

  async #isSigned(text: string, signature: Bytes): Promise<boolean> {
    const node = nodeCrypto();
    if (node !== undefined) {
      this.#hmacs ??= this.#keys.map((key) => hmacOf(key, node));
      return this.#hmacs.some((hmac) => sameInTime(hmac(text), signature, node));
    }
    const signed = new TextEncoder().encode(text);
    this.#imported ??= Promise.all(this.#keys.map(importKey));
    for (const key of await this.#imported) {
      if (await webCrypto().subtle.verify("HMAC", key, signature, signed)) return true;
    }
    return false;
  }
}

const RECEIVER: OptionNames<ReceiverOptions> = { currentSigningKey: true, nextSigningKey: true };
const SIGNED_REQUEST: OptionNames<SignedRequest> = {
  signature: true,
  body: true,
  url: true,
  checkClaims: true,
  clockTolerance: true,
};

type Hmac = (text: string) => Uint8Array;

function hmacOf(key: string, node: NodeCrypto): Hmac {
  if (node.hash === undefined)
    return (text) => node.createHmac("sha256", key).update(text).digest();
  const hmac = new OneShotHmac(key, node.hash);
  return (text) => hmac.of(text);
}

function sameInTime(expected: Uint8Array, signature: Bytes, node: NodeCrypto): boolean {
  return expected.length === signature.length && node.timingSafeEqual(expected, signature);
}

/** SHA-256. */
async function hashOf(body: string | Uint8Array): Promise<Uint8Array> {
  const node = nodeCrypto();
  if (node?.hash !== undefined) return node.hash("sha256", body, "buffer");
  if (node !== undefined) return node.createHash("sha256").update(body).digest();
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  return new Uint8Array(await webCrypto().subtle.digest("SHA-256", bytes));
}

function importKey(text: string): Promise<WebCryptoKey> {
  const bytes = new TextEncoder().encode(text);
  return webCrypto().subtle.importKey("raw", bytes, ALGORITHM, false, ["verify"]);
}

export type Claims = Readonly<Record<string, unknown>>;

async function checkClaims(claims: Claims, request: SignedRequest): Promise<void> {
  const { url, clockTolerance = 0 } = request;
  const { iss, sub, exp, nbf, iat, body } = claims;
  const seconds = now() / 1_000;
  if (!ISSUERS.includes(iss)) throw new SignatureError("the issuer is not the service");
  if (url !== undefined && sub !== url) {
    throw new SignatureError(`the signature is for ${String(sub)}, not for ${url}`);
  }
  for (const [name, time] of Object.entries({ nbf, iat })) {
    if (time !== undefined && !isTime(time)) throw new SignatureError(`${name} is not a time`);
  }
  // Written so that a tolerance that is no number lets nothing pass.
  if (!isTime(exp) || !(exp + clockTolerance >= seconds)) {
    throw new SignatureError("the signature has expired");
  }
  if (isTime(nbf) && !(nbf - clockTolerance <= seconds)) {
    throw new SignatureError("the signature is not valid yet");
  }
  const hash = await hashOf(request.body);
  if (typeof body !== "string" || !sameBytes(hash, fromBase64Url(body))) {
    throw new SignatureError("the body is not the one that was signed");
  }
  request.checkClaims?.(claims);
}

/** Seconds that a number can count one by one: JSON can also hold 1e999, which is after any time. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

function readPart(part: string): Claims {
  try {
    const value: unknown = JSON.parse(textFromBase64(toBase64(part)));
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isRecord) return value as Claims;
  } catch {
    // Reported below, in words for the caller.
  }
  throw new SignatureError("the signature cannot be read");
}

function fromBase64Url(text: string): Bytes {
  try {
    return bytesFromBase64(toBase64(text));
  } catch {
    throw new SignatureError("the signature cannot be read");
  }
}

function toBase64(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}

/** `{"alg":"HS256","typ":"JWT"}`, which the service always writes, so it need not be parsed. */
const USUAL_HEADER = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
const CURRENT_KEY = "POSTRIDER_CURRENT_SIGNING_KEY";
const NEXT_KEY = "POSTRIDER_NEXT_SIGNING_KEY";
/** The issuers of both dialects. */
const ISSUERS: readonly unknown[] = ["Svc", "Upstash"];
const SIGNATURE_HEADERS = ["Svc-Signature", "Upstash-Signature"];
const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
