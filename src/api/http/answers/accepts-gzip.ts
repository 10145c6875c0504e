import type { IncomingMessage } from "node:http";

/** Whether the caller takes an answer that is compressed. */
export function acceptsGzip({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const codings = (headers["accept-encoding"] ?? "").split(",");
  return codings.some((coding) => {
    const [name = "", ...parameters] = coding.split(";").map((part) => part.trim().toLowerCase());
    return name === "gzip" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
