import { keepNextKey, replaceSecretKey, storedKeys } from "../../config/secret-key-file.ts";
import type { AccountRecord, SecretKeyMark } from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import { secretKeyIdOf } from "../../platform/secret-box.ts";
import { nodeLabel } from "../../store/node-facts.ts";
import type { ManageOptions } from "./manage-accounts.ts";
import { followSecretKey } from "./secret-key.ts";
import { listNodes } from "./service.ts";

/** How far a rotation of the secret key has come. */
export interface RotationStep extends SecretKeyMark {
  /** Accounts whose signing keys this step has encrypted again. */
  readonly accounts: number;
  /** Nothing is left that another key has encrypted. */
  readonly isDone: boolean;
  /** The file that keeps the replaced key; null when it is not known, or a setting. */
  readonly keptAs: string | null;
}

/**
 * Encrypts all signing keys again with a new secret key, a page of accounts with each step. What can be
 * lost with the process is only where it was: the store says which keys are needed, and both are kept until
 * a whole pass has found nothing of the earlier one.
 */
export class SecretKeyRotation {
  readonly #options: ManageOptions;
  /** The data folder whose files hold the keys; null when settings do. */
  readonly #folder: string | null;
  /** The new key of the rotation that the position belongs to. */
  #keyId: string | null = null;
  #after = "";
  /** Whether this pass began at the first account and found nothing to do so far. */
  #isClean = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ManageOptions, folder: string | null) {
    this.#options = options;
    this.#folder = folder;
  }

  /** Begins or continues. A caller that continues names the new key, so that it begins no other. */
  step(keyId: string | undefined): Promise<RotationStep> {
    const step = this.#turn.then(() => this.#step(keyId));
    this.#turn = step.catch(() => undefined);
    return step;
  }

  async #step(wanted: string | undefined): Promise<RotationStep> {
    const mark = await this.#begin(wanted);
    if (mark.previousId === undefined) return this.#finish(mark, 0);
    await this.#requireNodes([mark.previousId, mark.keyId]);
    const accounts = await this.#resealPage(mark.keyId);
    const isOver = this.#after === "" && this.#isClean;
    if (!isOver) return { ...mark, accounts, isDone: false, keptAs: null };
    const { keyId } = mark;
    const ended = await this.#options.store.act({ rule: "end-secret-rotation", keyId });
    if (ended?.keyId !== keyId) throw otherRotation(ended?.keyId);
    return this.#finish(mark, accounts);
  }

  async #begin(wanted: string | undefined): Promise<SecretKeyMark> {
    const { store, secretBox } = this.#options;
    const { secretKey: mark = { keyId: secretBox.keyId } } = await store.reader.service.get();
    if (wanted !== undefined && wanted !== mark.keyId) throw otherRotation(mark.keyId);
    followSecretKey(secretBox, mark);
    if (wanted !== undefined || mark.previousId !== undefined) return mark;
    const to = this.#nextKeyId();
    if (to === mark.keyId) {
      if (secretBox.keyIds.length === 1) throw new Problem("forbidden", NO_NEXT_KEY);
      return mark;
    }
    await this.#requireNodes([mark.keyId, to]);
    const begun = await store.act({ rule: "begin-secret-rotation", from: mark.keyId, to });
    if (begun === "moving") throw new Problem("forbidden", MOVING);
    if (begun.keyId !== to) throw otherRotation(begun.keyId);
    this.#keyId = null;
    secretBox.use(to);
    return begun;
  }

  /** A key in the folder is on the disk before anything is encrypted with it. */
  #nextKeyId(): string {
    const { store, secretBox, ids } = this.#options;
    if (this.#folder === null) return secretBox.keyIds.at(-1)!;
    // Other nodes have no part in the folder.
    if (!store.isOnlyWriter) throw new Problem("forbidden", NO_NEXT_KEY);
    try {
      return secretBox.add(keepNextKey(this.#folder, ids));
    } catch (error) {
      throw new Problem("forbidden", (error as Error).message);
    }
  }

  /** A node that lacks a key could not sign. One that starts later reads in the store which it needs. */
  async #requireNodes(keyIds: readonly string[]): Promise<void> {
    const { store } = this.#options;
    if (store.isOnlyWriter) return;
    const lacking = (await listNodes(store)).filter(
      (node) => node.isLive && keyIds.some((keyId) => !node.keyIds.includes(keyId)),
    );
    if (lacking.length === 0) return;
    throw new Problem(
      "forbidden",
      `these nodes do not have both secret keys: ${lacking.map(nodeLabel).join(", ")}; ${GIVE_BOTH}`,
    );
  }

  async #resealPage(keyId: string): Promise<number> {
    const { store, secretBox } = this.#options;
    if (this.#keyId !== keyId) this.#after = "";
    this.#keyId = keyId;
    if (this.#after === "") this.#isClean = true;
    const page = await store.reader.accounts.list(this.#after, PAGE_MAX);
    // The poll of the engine may have read an older record meanwhile.
    secretBox.use(keyId);
    const resealed = await Promise.all(page.map((account) => this.#reseal(account, keyId)));
    const accounts = resealed.filter(Boolean).length;
    if (accounts > 0) this.#isClean = false;
    this.#after = page.length < PAGE_MAX ? "" : page.at(-1)!.accountId;
    return accounts;
  }

  /** False when there was nothing to do. What changes meanwhile is seen by the next pass. */
  async #reseal({ accountId, signingKeys }: AccountRecord, wanted: string): Promise<boolean> {
    const { store, secretBox, accounts } = this.#options;
    const sealed = [signingKeys.current, signingKeys.next];
    const keyIds = sealed.map((text) => secretBox.keyIdOf(text, accountId));
    if (keyIds.includes(null)) {
      throw new Problem(
        "forbidden",
        `no secret key decrypts the signing keys of the account ${accountId}; rotate them twice, or delete the account, and run this again`,
      );
    }
    if (keyIds.every((keyId) => keyId === wanted)) return false;
    const again = (text: string): string =>
      secretBox.seal(secretBox.open(text, accountId), accountId);
    const after = { current: again(signingKeys.current), next: again(signingKeys.next) };
    await store.act({ rule: "reseal-signing-keys", accountId, before: signingKeys, after });
    accounts.forget(accountId);
    return true;
  }

  #finish({ keyId }: SecretKeyMark, accounts: number): RotationStep {
    this.#keyId = null;
    const done = { keyId, accounts, isDone: true };
    if (this.#folder === null) return { ...done, keptAs: null };
    const [, next] = storedKeys(this.#folder);
    if (next === undefined || secretKeyIdOf(next) !== keyId) return { ...done, keptAs: null };
    try {
      return { ...done, keptAs: replaceSecretKey(this.#folder) };
    } catch (error) {
      throw new Problem("forbidden", `${NOT_REPLACED} (${(error as Error).message})`);
    }
  }
}

function otherRotation(keyId: string | undefined): Problem {
  return new Problem(
    "forbidden",
    `another rotation has given the store the secret key with the id ${keyId}; run this again`,
  );
}

const PAGE_MAX = 200;
const GIVE_BOTH =
  "start each of them with the new key as POSTRIDER_SECRET_KEY and the one before as POSTRIDER_PREVIOUS_SECRET_KEY, then run this again";
const NO_NEXT_KEY =
  "there is no new secret key: start every node with it as POSTRIDER_SECRET_KEY and the one before as POSTRIDER_PREVIOUS_SECRET_KEY, then run this again with both";
const NOT_REPLACED =
  "all is encrypted with the key in secret.key.next, but it cannot take the place of secret.key: let this user write to the data folder, keep both files, and run this again";
const MOVING = "the data is moving to another store; end that first";
