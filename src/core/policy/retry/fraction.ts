/** `1.5s` in milliseconds, as workflow clients write fractions; null for any other text. */
export function parseFraction(text: string): number | null {
  const match = FRACTION.exec(text);
  return match === null ? null : Math.round(Number(match[1]) * UNIT_MS[match[2] ?? "s"]!);
}

const FRACTION = /^(\d{1,9}\.\d{1,9})([smhd])?$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
