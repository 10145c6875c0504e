/** Sign in with a token, or with the name and password of the operator or of an account. */
import { useState } from "preact/hooks";
import { ApiError } from "../app/api.ts";
import { hasEnded, signIn } from "../app/session.ts";
import { Refusal } from "../parts/dialog.tsx";
import { Icon, Mark } from "../parts/icon.tsx";

export function LoginScreen() {
  const [isOperator, setOperator] = useState(false);
  return (
    <main class="login">
      <div class="stack loginbox">
        <div class="brand center">
          <Mark />
          Postrider
        </div>
        <LoginForm
          key={String(isOperator)}
          isOperator={isOperator}
          onSwitch={() => setOperator(!isOperator)}
        />
        <p class="hint center">
          {window.location.host} ·{" "}
          <a class="link" href="/docs">
            API reference
          </a>
        </p>
      </div>
    </main>
  );
}

interface LoginFormProps {
  readonly isOperator: boolean;
  readonly onSwitch: () => void;
}

function LoginForm({ isOperator, onSwitch }: LoginFormProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const of = (name: string): string => ((form.get(name) as string | null) ?? "").trim();
    setBusy(true);
    try {
      await signIn(
        isOperator ? { name: of("name"), password: of("password") } : { token: of("token") },
      );
    } catch (error) {
      setProblem(refusalText(error, isOperator));
      setBusy(false);
    }
  };
  return (
    <form class="card" onSubmit={(event) => void submit(event)}>
      <div class="pad stack">
        <h1 tabIndex={-1}>{isOperator ? "Sign in as operator" : "Sign in"}</h1>
        {hasEnded.value ? (
          <p class="soft" role="status">
            Your session has ended: its day is over, or its token was revoked or replaced.
          </p>
        ) : null}
        {isOperator ? <OperatorFields /> : <TokenField />}
        <Refusal problem={problem} />
        <button type="submit" class="btn primary" disabled={isBusy} aria-busy={isBusy}>
          Sign in
        </button>
        <p class="hint row">
          <Icon name="lock" />
          <span>Kept in this browser for a day, or until you sign out.</span>
        </p>
      </div>
      <div class="more">
        <span>{isOperator ? "You have a token?" : "You run this server?"}</span>
        <button type="button" class="link-button" onClick={onSwitch}>
          {isOperator ? "Sign in with a token" : "Sign in as operator"}
        </button>
      </div>
    </form>
  );
}

function TokenField() {
  return (
    <label class="field">
      <span>Token</span>
      <input
        class="input mono"
        type="password"
        name="token"
        placeholder="Paste your token"
        autocomplete="current-password"
        required
        aria-describedby="token-hint"
      />
      <span class="hint" id="token-hint">
        The server printed it at its first start, as <code>POSTRIDER_TOKEN</code>.
      </span>
    </label>
  );
}

function OperatorFields() {
  return (
    <>
      <label class="field">
        <span>Name</span>
        <input class="input" name="name" autocomplete="username" required placeholder="admin" />
      </label>
      <label class="field">
        <span>Password</span>
        <input
          class="input"
          type="password"
          name="password"
          autocomplete="current-password"
          required
          aria-describedby="password-hint"
        />
      </label>
      <p class="hint" id="password-hint">
        An account signs in here too, with its name and password.
      </p>
    </>
  );
}

function refusalText(error: unknown, isOperator: boolean): string {
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 0) return "Cannot reach the server. Is it running?";
  if (error.status !== 401) return error.message;
  return isOperator ? "Name or password is wrong." : "The server does not know this token.";
}
