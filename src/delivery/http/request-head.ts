import type { OutboundRequest } from "./outbound-exchange.ts";

/** The head of a request as it is sent, in Latin-1. The headers were checked before. */
export function requestHead(request: OutboundRequest, host: string): string {
  const { method, path, headers, body } = request;
  const connection = mayFollow(request) ? "keep-alive" : "close";
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  const length = body === null ? 0 : body.length;
  return length > 0 || USUALLY_WITH_BODY.has(method)
    ? `${head}content-length: ${length}\r\n\r\n`
    : `${head}\r\n`;
}

/**
 * Whether another request may follow on the connection. Some servers leave the body of a GET or
 * DELETE unread, and would take it for the next request; some answer a HEAD with a body.
 */
export function mayFollow({ method, body }: OutboundRequest): boolean {
  return USUALLY_WITH_BODY.has(method) || (body === null && method !== "HEAD");
}

/** Without a length some servers wait for a body of these. */
const USUALLY_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
