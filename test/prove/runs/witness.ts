/** What the application is told when it is started, and what it has seen when all is over. */
export interface EndpointSettings {
  readonly nodeUrls: readonly string[];
  readonly token: string;
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
}

export interface Witness {
  /** Work of steps, with the message that brought it about. */
  readonly works: StepSeen[];
  /** Calls to the third party. */
  readonly calls: StepSeen[];
  /** Deliveries that stood under a key. */
  readonly visits: KeyVisit[];
  /** Runs whose failure was reported. */
  readonly reports: string[];
}

export interface StepSeen {
  readonly runId: string;
  readonly name: string;
  readonly messageId: string;
}

export interface KeyVisit {
  readonly key: string;
  readonly startedAt: number;
  /** When it was answered, or when its sender was gone; null while it lasts. */
  readonly endedAt: number | null;
}

/** Who takes deliveries, by the path of the workflow. */
export type Handlers = Record<string, (request: Request, messageId: string) => Promise<Response>>;

export const pickOne = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(Math.random() * items.length)]!;
