/** The log for operators. Fields never hold bodies, tokens or header values. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;
