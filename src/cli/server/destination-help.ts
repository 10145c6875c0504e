/** What a developer can do about an attempt that failed on this machine. */
export function destinationHelp(url: string, status: number, error: string | undefined): string {
  const read = URL.parse(url);
  if (read === null) return "";
  const port = read.port || (read.protocol === "https:" ? "443" : "80");
  if (error === "connection refused") {
    return LOCAL.test(read.hostname)
      ? `is your app running on port ${port}?`
      : `does ${read.hostname} listen on port ${port}?`;
  }
  if (error === "no such host" || error === "name lookup failed") {
    return `is ${read.hostname} spelled right?`;
  }
  if (error?.startsWith("TLS")) return `does ${read.hostname} speak https on port ${port}?`;
  return error === undefined ? (STATUSES[status] ?? "") : "";
}

const LOCAL = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const STATUSES: Readonly<Record<number, string>> = {
  401: "does the destination have the signing keys above?",
  403: "does the destination have the signing keys above?",
  404: "is the path right?",
  405: "does the route take this method?",
  413: "does the destination take bodies of this size?",
};
