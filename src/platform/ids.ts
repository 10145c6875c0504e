import { randomBytes, randomFillSync } from "node:crypto";

/** The only source of randomness: ids, keys, secrets and jitter. */
export interface Ids {
  /** A prefix and 26 characters that sort by the time of generation. */
  sortable(prefix: string, now: number): string;
  /** Random characters without look-alikes, for keys and secrets. */
  secret(length: number): string;
  bytes(length: number): Uint8Array;
  /** A number from 0 up to but not including 1. */
  fraction(): number;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const TIME_CHARACTERS = 10;
const CHANCE_CHARACTERS = 16;
const POOL_BYTES = 4096;

/** Ids of the same millisecond count upward, so that they sort in the order of generation. */
export function createIds(): Ids {
  const pool = new Uint8Array(POOL_BYTES);
  let poolAt = POOL_BYTES;
  let lastAt = -1;
  let timeText = "";
  const digits = new Uint8Array(CHANCE_CHARACTERS);

  function draw(): number {
    if (poolAt === POOL_BYTES) {
      randomFillSync(pool);
      poolAt = 0;
    }
    return pool[poolAt++]!;
  }
  function chanceText(): string {
    let text = "";
    for (const digit of digits) text += CROCKFORD[digit];
    return text;
  }
  function countUp(): void {
    for (let index = CHANCE_CHARACTERS - 1; index >= 0; index--) {
      const digit = digits[index]!;
      if (digit < 31) {
        digits[index] = digit + 1;
        return;
      }
      digits[index] = 0;
    }
  }

  return {
    sortable(prefix, now) {
      // After a clock step back, new ids still sort after the earlier ones.
      if (now > lastAt) {
        lastAt = now;
        timeText = encodeTime(now);
        for (let index = 0; index < CHANCE_CHARACTERS; index++) digits[index] = draw() & 31;
      } else {
        countUp();
      }
      return prefix + timeText + chanceText();
    },
    secret(length) {
      let text = "";
      while (text.length < length) {
        const byte = draw();
        if (byte < 232) text += BASE58[byte % 58];
      }
      return text;
    },
    bytes: (length) => randomBytes(length),
    fraction: () => ((draw() << 16) | (draw() << 8) | draw()) / 0x1000000,
  };
}

/** A random UUID, version 4. */
export function drawUuid(ids: Ids): string {
  const bytes = Buffer.from(ids.bytes(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function encodeTime(now: number): string {
  let text = "";
  let rest = now;
  for (let index = 0; index < TIME_CHARACTERS; index++) {
    text = CROCKFORD[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
