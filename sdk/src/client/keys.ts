import type { Transport } from "../transport.ts";
import type { SigningKeys } from "../answers/account.ts";

/** The keys that deliveries are signed with. They need the main token of the account. */
export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(): Promise<SigningKeys> {
    return this.#transport.json({ method: "GET", path: "/v2/keys" });
  }

  /**
   * Makes the next key the current one, and generates a new next one. It is asked once, since after two
   * rotations receivers know neither key; if the answer is lost, `get` shows whether it was done.
   */
  rotate(): Promise<SigningKeys> {
    return this.#transport.json({ method: "POST", path: "/v2/keys/rotate", isOnce: true });
  }
}
