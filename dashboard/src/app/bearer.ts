/**
 * The token of a server without cookie sessions. It lives as long as the tab. Once every server has sessions, delete this
 * file and its callers.
 */
const NAME = "postrider.token";

export function bearerHeaders(): Record<string, string> {
  const token = knownToken();
  return token === null || !usesBearer() ? {} : { Authorization: `Bearer ${token}` };
}

/** The token that was pasted in this tab, for commands to copy. */
export function knownToken(): string | null {
  return sessionStorage.getItem(NAME);
}

export function rememberToken(token: string, isSession: boolean): void {
  sessionStorage.setItem(NAME, token);
  sessionStorage.setItem(`${NAME}.by`, isSession ? "cookie" : "header");
}

export function forgetToken(): void {
  sessionStorage.removeItem(NAME);
  sessionStorage.removeItem(`${NAME}.by`);
}

/** Whether calls carry the token themselves, for want of a cookie. */
export function usesBearer(): boolean {
  return sessionStorage.getItem(`${NAME}.by`) === "header";
}
