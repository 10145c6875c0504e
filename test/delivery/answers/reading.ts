/** What a parser made of the bytes of one answer. */
export interface Reading {
  interim: number[];
  status: number;
  version?: string;
  /** Names and values in turn. */
  headers: string[];
  body: string;
  keepsAlive?: boolean;
  end: "complete" | "more" | "error";
  error?: string;
}
