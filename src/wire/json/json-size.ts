/** About how many characters a value takes as JSON, without writing it. */
export function jsonSize(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return value === undefined ? 0 : 8;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + jsonSize(each) + 1, 2);
  let size = 2;
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) size += name.length + 4 + jsonSize(member);
  }
  return size;
}
