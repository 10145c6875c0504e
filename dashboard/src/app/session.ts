/** Who is signed in, and what they may do. */
import { computed, signal } from "@preact/signals";
import { ApiError, call, whenSignedOut } from "./api.ts";
import { forgetToken, knownToken, rememberToken } from "./bearer.ts";

export interface Session {
  readonly kind: "account" | "operator";
  readonly accountId: string | null;
  readonly scope: "full" | "read-only";
  readonly isDev: boolean;
  readonly version: string;
}

/** Undefined until the server was asked, null when it knows none. */
export const session = signal<Session | null | undefined>(undefined);
export const isReadOnly = computed(() => session.value?.scope === "read-only");
export const isOperator = computed(() => session.value?.kind === "operator");

whenSignedOut(() => {
  session.value = null;
});

export async function loadSession(): Promise<void> {
  try {
    session.value = await call<Session>("/v2/session");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.isMissing && knownToken() !== null) await loadByToken();
    else session.value = null;
  }
}

export async function signIn(
  credentials: { readonly token: string } | { readonly name: string; readonly password: string },
): Promise<void> {
  const token = "token" in credentials ? credentials.token : null;
  try {
    const answer = await call<Session>("/v2/session", { method: "POST", body: credentials });
    if (token !== null) rememberToken(token, true);
    session.value = answer;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isMissing || token === null) throw error;
    rememberToken(token, false);
    await loadByToken();
    if (session.value === null)
      throw new ApiError(401, "The server does not know this token", null);
  }
}

export async function signOut(): Promise<void> {
  forgetToken();
  await call("/v2/session", { method: "DELETE" }).catch(() => undefined);
  session.value = null;
}

/** For a server without sessions. */
async function loadByToken(): Promise<void> {
  try {
    const { id, access } = await call<{ id: string; access: string }>("/v2/account");
    const scope = access === "full" ? "full" : "read-only";
    session.value = { kind: "account", accountId: id, scope, isDev: false, version: "" };
  } catch {
    forgetToken();
    session.value = null;
  }
}
