import { type Duration, durationText } from "../duration.ts";
import { requireKnown } from "../option-names.ts";
import { segment, type Transport } from "../transport.ts";
import type { AddedToken, OwnAccount, Token } from "../answers/account.ts";

export interface NewToken {
  readonly name: string;
  /** `full` if absent. */
  readonly scope?: Token["scope"] | undefined;
  /** It does not end if absent. */
  readonly expiresIn?: Duration | undefined;
}

/** The account of the token. Its tokens need the main token. */
export class OwnAccountCalls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The account without its secrets, and how much of its limits is used. */
  get(): Promise<OwnAccount> {
    return this.#transport.json({ method: "GET", path: "/v2/account" });
  }

  /** The tokens without their secrets. */
  tokens(): Promise<Token[]> {
    return this.#transport.json({ method: "GET", path: "/v2/account/tokens" });
  }

  /** Adds a named token. It is shown only in this answer, and asked for once. */
  addToken(token: NewToken): Promise<AddedToken> {
    requireKnown("a token", token, { name: true, scope: true, expiresIn: true });
    const { name, scope = "full", expiresIn } = token;
    return this.#transport.json({
      method: "POST",
      path: "/v2/account/tokens",
      isOnce: true,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name, scope, expiresIn: durationText(expiresIn) }),
    });
  }

  async revokeToken(id: string): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: `/v2/account/tokens/${segment(id)}` });
  }
}
