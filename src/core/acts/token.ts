import type { AccountRecord, NamedToken } from "../model/account/account.ts";
import type { Instant } from "../model/time.ts";

/** Acts on the tokens of an account. */
export type TokenAct = AddTokenAct | RevokeTokenAct | UseTokenAct;

export interface AddTokenAct {
  readonly rule: "add-token";
  readonly accountId: string;
  readonly token: NamedToken;
}

export interface RevokeTokenAct {
  readonly rule: "revoke-token";
  readonly accountId: string;
  readonly tokenId: string;
}

/** Notes the use of a token. */
export interface UseTokenAct {
  readonly rule: "use-token";
  readonly accountId: string;
  readonly tokenId: string;
  readonly at: Instant;
}

export interface TokenAnswers {
  readonly "add-token": AccountRecord | "name-taken" | "too-many" | null;
  readonly "revoke-token": AccountRecord | null;
  readonly "use-token": null;
}
