import { createHmac } from "node:crypto";
import type { AccountRecord, Operator } from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Ids } from "../../platform/ids.ts";
import { hashPassword, isSame, matchesPassword } from "../../platform/password.ts";
import type { Store } from "../../store/store.ts";
import { ExpiringCache } from "../expiring-cache.ts";
import { PasswordQueue, SignInGuard } from "./sign-in-guard.ts";

interface LoginsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The operator in the settings, with the password in clear. */
  readonly givenOperator: Credentials | null;
  /** The secret of the command line on the same machine; null where no command line can have it. */
  readonly controlSecret: string | null;
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Who is signed in to the console. */
export type ConsoleAccess =
  | { readonly kind: "operator"; readonly user: string }
  | { readonly kind: "account"; readonly account: AccountRecord };

/** The name under which the command line signs in. */
export const CONTROL_USER = "postrider-control";

/** Signs people in by name and password, with an expensive check and limited failures. */
export class Logins {
  readonly #options: LoginsOptions;
  readonly #customers: ExpiringCache<AccountRecord>;
  readonly #operators: ExpiringCache<Operator>;
  readonly #guard: SignInGuard;
  readonly #passwords = new PasswordQueue();
  /** Verified passwords, by a keyed hash that only this process can make. */
  readonly #right = new Set<string>();
  readonly #rightKey: Uint8Array;
  #unknownHash: Promise<string> | null = null;

  constructor(options: LoginsOptions) {
    const { store, clock, ids } = options;
    this.#options = options;
    const shared = { clock, keepMs: KEEP_MS, countMax: KEPT_MAX };
    this.#customers = new ExpiringCache({
      ...shared,
      // No name has a control character, and PostgreSQL cannot be asked for one with a NUL.
      load: async (customerId) =>
        CONTROL.test(customerId) ? null : store.reader.accounts.byCustomer(customerId),
    });
    this.#operators = new ExpiringCache({
      ...shared,
      load: async () => (await store.reader.service.get()).operator,
    });
    this.#guard = new SignInGuard(clock);
    this.#rightKey = ids.bytes(32);
  }

  /**
   * Refuses unknown credentials; `source` is the caller's address. Where the operator is not
   * admitted, his name is one like any other: his password is not checked, and tries do not slow
   * him down elsewhere.
   */
  async signIn(given: Credentials, source: string, admitsOperator = true): Promise<ConsoleAccess> {
    const operator = admitsOperator ? await this.#signInOperator(given, source) : null;
    return operator ?? this.#signInAccount(given, source);
  }

  /** Null when it is not the name of the operator. */
  async #signInOperator(given: Credentials, source: string): Promise<ConsoleAccess | null> {
    const { controlSecret, givenOperator } = this.#options;
    if (given.user === CONTROL_USER && controlSecret !== null) {
      if (isSame(given.password, controlSecret)) return { kind: "operator", user: "operator" };
    }
    const operator = await this.#operators.get("");
    const user = givenOperator?.user ?? operator?.user;
    if (given.user !== user) return null;
    const hashed = givenOperator === null ? (operator?.passwordHash ?? null) : GIVEN;
    const isRight = (isTrusted: boolean): Promise<boolean> =>
      givenOperator === null
        ? this.#matches(given, hashed, isTrusted)
        : Promise.resolve(isSame(given.password, givenOperator.password));
    await this.#admit("operator", given, hashed, source, isRight);
    return { kind: "operator", user: given.user };
  }

  async #signInAccount(given: Credentials, source: string): Promise<ConsoleAccess> {
    const account = await this.#customers.get(given.user);
    const hashed = account?.passwordHash ?? null;
    await this.#admit("account", given, hashed, source, (isTrusted) =>
      this.#matches(given, hashed, isTrusted),
    );
    if (account === null) throw wrongCredentials();
    if (account.isSuspended) {
      throw new Problem("forbidden", "this account is suspended; ask the operator of the service");
    }
    return { kind: "account", account };
  }

  /** What a sign-in of the operator rests on, password or hash; null when there is no such operator. */
  async operatorSecret(user: string): Promise<string | null> {
    const { givenOperator } = this.#options;
    if (givenOperator !== null) return givenOperator.user === user ? givenOperator.password : null;
    const operator = await this.#operators.get("");
    return operator?.user === user ? operator.passwordHash : null;
  }

  /** Drops verified passwords after credentials have changed. */
  forget(customerId: string): void {
    this.#customers.forget(customerId);
  }

  /** Credentials verified before pass at once, however many others fail under the same name. */
  async #admit(
    kind: ConsoleAccess["kind"],
    given: Credentials,
    hashed: string | null,
    source: string,
    isRight: (isTrusted: boolean) => Promise<boolean>,
  ): Promise<void> {
    const mark = this.#markOf(given, hashed);
    if (hashed !== null && this.#right.has(mark)) return;
    const signIn = this.#guard.begin(`${kind} ${given.user}`, source);
    let isLetIn: boolean;
    try {
      isLetIn = await isRight(signIn.isTrusted);
    } catch (error) {
      signIn.withdraw();
      throw error;
    }
    if (!isLetIn) {
      signIn.failed();
      throw wrongCredentials();
    }
    signIn.succeeded();
    if (this.#right.size >= KEPT_MAX) this.#right.clear();
    this.#right.add(mark);
  }

  /** An unknown name takes as long to check. */
  #matches({ password }: Credentials, hashed: string | null, isTrusted: boolean): Promise<boolean> {
    return this.#passwords.run(async () => {
      const isRight = await matchesPassword(password, hashed ?? (await this.#hashOfUnknown()));
      return isRight && hashed !== null;
    }, isTrusted);
  }

  #hashOfUnknown(): Promise<string> {
    const { ids } = this.#options;
    this.#unknownHash ??= hashPassword(ids.secret(32), ids);
    return this.#unknownHash;
  }

  #markOf({ user, password }: Credentials, hashed: string | null): string {
    const text = JSON.stringify([user, password, hashed]);
    return createHmac("sha256", this.#rightKey).update(text).digest("base64");
  }
}

function wrongCredentials(): Problem {
  return new Problem("unauthorized", "unable to authenticate: invalid user or password");
}

/** Replaces the hash of a password that is not stored. */
const GIVEN = "given";

const CONTROL = /\p{Cc}/u;
const KEEP_MS = 1_000;

const KEPT_MAX = 1_000;
