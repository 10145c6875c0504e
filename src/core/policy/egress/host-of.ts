/** The host of a destination, name and port: messages to one host share a line. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}
