/** The host that a destination is on, name and port, as messages to one host share a line. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}
