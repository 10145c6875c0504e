/**
 * The used parts of requests and responses of Node's HTTP server, and of frameworks built on it.
 */
import type { HeadersByName } from "./node-headers.ts";

export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: HeadersByName;
  readonly readableEnded?: boolean;
  readonly socket?: unknown;
}

export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}
