/** The dependencies on the runtime: its clock, its randomness and its environment. */
import type { WebCrypto } from "./web-types.ts";

export function now(): number {
  return Date.now();
}

/** Ends early when the signal aborts. */
export function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    signal?.addEventListener("abort", end);
  });
}

/** An id of letters and digits, too long to be generated twice. */
export function drawId(length: number): string {
  const bytes = webCrypto().getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** A variable of the process, where the runtime has one. */
export function environmentOf(name: string): string | undefined {
  const { process } = globalThis as unknown as { process?: { env?: Environment } };
  const value = process?.env?.[name];
  return typeof value === "string" ? value : undefined;
}

/** Variables by their names; edge runtimes pass theirs with each request in this form too. */
export type Environment = Readonly<Record<string, unknown>>;

export function webCrypto(): WebCrypto {
  const { crypto } = globalThis as unknown as { crypto?: WebCrypto };
  if (crypto?.subtle !== undefined) return crypto;
  throw new Error(
    "this runtime has no global WebCrypto; in Node 18 set globalThis.crypto to webcrypto of node:crypto",
  );
}

/** The used part of Node's hashing. */
export interface NodeCrypto {
  createHash(algorithm: "sha256"): NodeHash;
  createHmac(algorithm: "sha256", key: string): NodeHash;
  timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean;
  /** Since Node 20.12. */
  readonly hash?: OneShotHash;
}

export type OneShotHash = (
  algorithm: "sha256",
  data: string | Uint8Array,
  form: "buffer",
) => Uint8Array;

interface NodeHash {
  update(data: string | Uint8Array): NodeHash;
  digest(): Uint8Array;
}

/**
 * Node's hashing; undefined where there is none. WebCrypto works on another thread, which for a few
 * hundred bytes costs far more than the work itself.
 */
export function nodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as unknown as {
    process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined };
  };
  return process?.getBuiltinModule?.("node:crypto");
}

/**
 * Resolves after all pending work that needs no outside event: one round of the event loop, by the
 * fastest way of the runtime.
 */
export function turn(): Promise<void> {
  const { setImmediate } = globalThis as unknown as { setImmediate?: (run: () => void) => void };
  if (setImmediate === undefined) return pause(0);
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** 64 of them, so that every remainder of a byte is equally likely. */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
