/** `npm run reference` writes this file from the schemas of the server. */

export interface SigningKeys {
  /** Verify signatures with it first. */
  readonly current: string;
  /** Verify with it if the current one does not match. */
  readonly next: string;
}
