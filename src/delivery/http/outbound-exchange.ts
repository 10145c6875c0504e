/** What a connection carries, and what both say to each other. */

import type { HeaderList } from "../../core/model/message/message.ts";

export interface OutboundRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
}

/** A request that a connection carries. Each ends with `onEnd` or `onFailure`, if not aborted. */
export interface OutboundExchange {
  readonly request: OutboundRequest;
  abort(): void;
  /** The request is written to this connection. */
  onStart(connection: CarryingConnection): void;
  /** As in AnswerReceiver. */
  onHead(status: number, headers: HeaderList, bodyBytes: number): void;
  /** The bytes are overwritten after the call. */
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailure(error: unknown): void;
}

export interface CarryingConnection {
  /** No data arrives until `resume`. */
  pause(): void;
  resume(): void;
  /** Closes the connection; the exchange hears no more of it. */
  abort(): void;
}
