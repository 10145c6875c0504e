/** What the account of the session is, and how much of its limits is used. */
import type { OwnAccount } from "../../../sdk/src/answers/account.ts";
import { whenHeard } from "../app/live.ts";
import { type Resource, useResource } from "../app/resource.ts";
import { sharedAnswer } from "../app/resources.ts";
import { session } from "../app/session.ts";

export function useOwnAccount(): Resource<OwnAccount> {
  return useResource(session.value?.kind === "account" ? ACCOUNT : null, 30_000);
}

const ACCOUNT = "/v2/account";

// The badge of the dead letters follows at once.
whenHeard((entries) => {
  if (entries.some(({ state }) => state === "FAILED")) sharedAnswer(ACCOUNT).reload(1_000);
});

/** How many there are of a thing, by the name of its limit. */
export function useUsed(limit: string | undefined): number | null {
  const { value } = useOwnAccount();
  return value?.usage.find((row) => row.limit === limit)?.used ?? null;
}
