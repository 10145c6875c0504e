/** Secrets that are told apart, and the ways in which they could be written somewhere. */

/** Of one purpose; no two contain each other. */
export function canary(purpose: string): string {
  return `canary-${purpose}-Zq7Xw`;
}

/** As it is, percent-encoded, in hex, and in base64 wherever it stands, once and twice over. */
export function spellings(secret: string): string[] {
  const once = inBase64(secret);
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("hex"),
    ...once,
    ...once.flatMap(inBase64),
  ];
}

export function isWrittenIn(text: string, secret: string): boolean {
  return spellings(secret).some((spelling) => text.includes(spelling));
}

/** What surely stands in the base64 of a longer text that holds this one, at each of three offsets. */
function inBase64(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const start = offset === 0 ? 0 : offset + 1;
    const end = Math.floor((shifted.length * 8) / 6);
    return shifted.toString("base64").slice(start, end);
  });
}
