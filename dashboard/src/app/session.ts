/** Who is signed in, and what they may do. The cookie that proves it is out of reach of scripts. */
import { computed, effect, signal, untracked } from "@preact/signals";
import type { Session } from "../answers/account.ts";
import { ApiError, call, whenSignedOut } from "./api.ts";

export type Credentials =
  | { readonly token: string }
  | { readonly name: string; readonly password: string };

/** Undefined until the server was asked, null when it knows none. */
export const session = signal<Session | null | undefined>(undefined);
export const isReadOnly = computed(() => session.value?.scope === "read-only");
export const isOwner = computed(() => session.value?.isOwner === true);
export const isOperator = computed(() => session.value?.kind === "operator");
/** The screen that a person sees first. */
export const homePath = computed(() => (isOperator.value ? "/accounts" : "/"));
/** Why tokens and signing keys are not shown. */
export const OWNER_ONLY =
  "Sign in with the main token of the account, or with its name and password, to manage these.";
/** The session that was there ended by itself: its token was revoked, or its day is over. */
export const hasEnded = signal(false);

/** For commands to copy; known until the page is left, and kept nowhere. */
let pastedToken: string | null = null;

// Several panels ask at once, so this is called once for each of them.
whenSignedOut(() => {
  if (session.value) hasEnded.value = true;
  pastedToken = null;
  session.value = null;
});

/** Forgets what one person saw: the next one to sign in may be another. */
export function whenSessionOver(forget: () => void): void {
  effect(() => {
    if (session.value === null) untracked(forget);
  });
}

export async function loadSession(): Promise<void> {
  try {
    session.value = await call<Session>("/v2/session");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    session.value = null;
  }
}

export async function signIn(credentials: Credentials): Promise<void> {
  session.value = await call<Session>("/v2/session", { method: "POST", body: credentials });
  pastedToken = "token" in credentials ? credentials.token : null;
  hasEnded.value = false;
}

export async function signOut(): Promise<void> {
  pastedToken = null;
  await call("/v2/session", { method: "DELETE" }).catch(() => undefined);
  session.value = null;
  // A panel that asked meanwhile was told that the session is over.
  hasEnded.value = false;
}

export function knownToken(): string | null {
  return pastedToken;
}
