import { hash } from "node:crypto";

import type { AccountRecord } from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { hashToken } from "../../platform/token.ts";
import type { Access, Accounts } from "./accounts.ts";
import type { ConsoleAccess, Logins } from "./logins.ts";

export interface SessionsOptions {
  readonly accounts: Accounts;
  readonly logins: Logins;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

export type SessionAccess =
  | { readonly kind: "account"; readonly access: Access }
  | { readonly kind: "operator"; readonly user: string };

/** A session in clear: the credentials that it was begun with, as hashes. */
type Session =
  | { readonly by: "token"; readonly accountId: string; readonly tokenHash: string }
  | { readonly by: "password"; readonly accountId: string; readonly mark: string }
  | { readonly by: "operator"; readonly user: string; readonly mark: string };

type KeptSession = Session & { readonly until: number };

export interface OpenSession {
  readonly access: SessionAccess;
  /** Most of its time is over, so that it should be issued again. */
  readonly isOld: boolean;
  /** The same session with a new end. */
  readonly renew: () => string;
}

export const SESSION_MS = 24 * 3_600_000;

/**
 * Sessions of people in a browser. Nothing is stored: the cookie holds the session, encrypted with
 * the service's secret key, so that every node opens it. It ends with the credentials that it was
 * begun with.
 */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** For a token that was accepted. */
  ofToken(token: string, { account }: Access): string {
    const { accountId } = account;
    return this.#seal({ by: "token", accountId, tokenHash: hashToken(token) });
  }

  /** For the account whose public token needs no sign-in. */
  ofAccount({ accountId, tokenHash }: AccountRecord): string {
    return this.#seal({ by: "token", accountId, tokenHash });
  }

  /** For a name and password that were accepted. */
  async ofLogin(login: ConsoleAccess): Promise<string> {
    if (login.kind === "operator") {
      const { user } = login;
      const mark = await this.#operatorMark(user);
      // The command line's own sign-in is for the command line.
      if (mark === null) throw new Problem("unauthorized", "unable to authenticate: no operator");
      return this.#seal({ by: "operator", user, mark });
    }
    const { accountId, passwordHash } = login.account;
    return this.#seal({ by: "password", accountId, mark: markOf(passwordHash ?? "") });
  }

  /** Null when it is not a session of this service, or has ended. */
  async open(sealed: string): Promise<OpenSession | null> {
    const kept = this.#unseal(sealed);
    if (kept === null) return null;
    const { until, ...session } = kept;
    const leftMs = until - this.#options.clock.now();
    if (leftMs <= 0) return null;
    const access = await this.#accessOf(session);
    if (access === null) return null;
    const renew = (): string => this.#seal(session);
    return { access, isOld: leftMs < SESSION_MS / 2, renew };
  }

  async #accessOf(session: Session): Promise<SessionAccess | null> {
    const { accounts } = this.#options;
    if (session.by === "operator") {
      const { user, mark } = session;
      return (await this.#operatorMark(user)) === mark ? { kind: "operator", user } : null;
    }
    const access =
      session.by === "token"
        ? await accounts.accessByHash(session.accountId, session.tokenHash)
        : withPassword(await accounts.record(session.accountId), session.mark);
    return access === null ? null : { kind: "account", access };
  }

  async #operatorMark(user: string): Promise<string | null> {
    const secret = await this.#options.logins.operatorSecret(user);
    return secret === null ? null : markOf(secret);
  }

  #seal(session: Session): string {
    const { clock, secretBox } = this.#options;
    const kept = { ...session, until: clock.now() + SESSION_MS };
    return secretBox.seal(JSON.stringify(kept), SEALED_FOR);
  }

  #unseal(sealed: string): KeptSession | null {
    try {
      return JSON.parse(this.#options.secretBox.open(sealed, SEALED_FOR)) as KeptSession;
    } catch {
      return null;
    }
  }
}

function withPassword(account: AccountRecord | null, mark: string): Access | null {
  const passwordHash = account?.passwordHash ?? null;
  const isSame = passwordHash !== null && markOf(passwordHash) === mark;
  return account !== null && isSame ? ownerOf(account) : null;
}

/** For the password of an account, and for the account that needs no sign-in. */
export function ownerOf(account: AccountRecord): Access {
  return { account, isReadOnly: false, isOwner: true };
}

/** Changes with the secret, and does not show it. */
function markOf(secret: string): string {
  return hash("sha256", `session ${secret}`, "base64url");
}

/** Not the id of an account: what is sealed for one is never taken for a session. */
const SEALED_FOR = "session of the dashboard";
