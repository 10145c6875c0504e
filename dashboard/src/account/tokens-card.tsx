/** The tokens of the account: list, add, revoke, rotate. */
import { useState } from "preact/hooks";
import type { Token } from "../../../sdk/src/answers/account.ts";
import { call } from "../app/api.ts";
import { announce } from "../app/announce.ts";
import { useResource } from "../app/resource.ts";
import { isOwner, OWNER_ONLY, signIn } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Time } from "../parts/time.tsx";
import { type Issued, IssuedCard } from "./issued.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

type Asked = "new" | "rotate" | { readonly revoke: Token };

export function TokensCard() {
  const tokens = useResource<readonly Token[]>(isOwner.value ? "/v2/account/tokens" : null, 30_000);
  const [asked, ask] = useState<Asked | null>(null);
  const [issued, setIssued] = useState<Issued | null>(null);
  const close = (): void => ask(null);
  return (
    <>
      {issued === null ? null : <IssuedCard issued={issued} onCopied={() => setIssued(null)} />}
      <article class="card">
        <header>
          <h2>Tokens</h2>
          {!isOwner.value ? null : (
            <div class="acts">
              <Button isSmall icon="retry" onPress={() => ask("rotate")}>
                Rotate…
              </Button>
              <Button isSmall icon="plus" onPress={() => ask("new")}>
                New token
              </Button>
            </div>
          )}
        </header>
        <LoadProblem of={tokens} what="the tokens" />
        <ul class="list">
          {(tokens.value ?? []).map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => ask({ revoke: token })} />
          ))}
        </ul>
        <p class="more">
          {isOwner.value
            ? "Tokens are shown once, when they are made. Give each app its own, and revoke it alone."
            : OWNER_ONLY}
        </p>
      </article>
      <Asking asked={asked} onClose={close} onIssued={setIssued} />
    </>
  );
}

interface AskingProps {
  readonly asked: Asked | null;
  readonly onClose: () => void;
  readonly onIssued: (issued: Issued) => void;
}

function Asking({ asked, onClose, onIssued }: AskingProps) {
  if (asked === null) return null;
  if (asked === "new") return <NewTokenDialog onClose={onClose} onMade={onIssued} />;
  if (asked !== "rotate") return <RevokeDialog token={asked.revoke} onClose={onClose} />;
  return (
    <RotateDialog
      whose="your tokens"
      title="New credentials"
      path="/v2/account/rotate-token"
      onClose={onClose}
      onIssued={async (issued, { token }) => {
        onIssued(issued);
        // The session may have begun with what was replaced.
        await signIn({ token });
      }}
    />
  );
}

function TokenRow({ token, onRevoke }: { readonly token: Token; readonly onRevoke: () => void }) {
  const { id, name, scope, createdAt, lastUsedAt, expiresAt } = token;
  const isOwn = id === "main" || id === "read-only";
  return (
    <li>
      <Icon name={scope === "full" ? "key" : "lock"} />
      <span class="grow">
        <span class="row">
          <b class="cut" title={name}>
            {isOwn ? (id === "main" ? "Full access" : "Read-only") : name}
          </b>
          {isOwn ? null : <span class="tag whole">{scope === "full" ? "full" : "read-only"}</span>}
        </span>
        <span class="muted small">
          {scope === "full" ? "" : "sees all, changes nothing · "}made{" "}
          <Time at={createdAt} form="sentence" />
          {expiresAt === null ? null : (
            <>
              {" "}
              · ends <Time at={expiresAt} form="sentence" />
            </>
          )}
        </span>
      </span>
      <span class="muted small nowrap">
        {lastUsedAt === null ? (
          "never used"
        ) : (
          <>
            used <Time at={lastUsedAt} form="sentence" />
          </>
        )}
      </span>
      {isOwn ? null : (
        <Button isSmall kind="quiet" icon="trash" label={`Revoke ${name}`} onPress={onRevoke} />
      )}
    </li>
  );
}

interface RevokeDialogProps {
  readonly token: Token;
  readonly onClose: () => void;
}

function RevokeDialog({ token, onClose }: RevokeDialogProps) {
  const { id, name, lastUsedAt } = token;
  const revoke = async (): Promise<void> => {
    await call(`/v2/account/tokens/${encodeURIComponent(id)}`, { method: "DELETE" });
    announce(`Token ${name} is revoked.`);
  };
  return (
    <Dialog
      title={`Revoke token ${name}?`}
      confirm="Revoke token"
      cancel="Keep it"
      isDanger
      onConfirm={revoke}
      onClose={onClose}
    >
      <p class="soft">
        {lastUsedAt === null ? (
          "It was never used. "
        ) : (
          <>
            It was last used <Time at={lastUsedAt} form="sentence" />.{" "}
          </>
        )}
        The server refuses it within a second, and browsers that signed in with it are signed out.
        This cannot be undone.
      </p>
    </Dialog>
  );
}
