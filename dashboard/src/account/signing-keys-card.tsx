/** The keys that sign every delivery, and how an app is connected with them. */
import { useState } from "preact/hooks";
import type { SigningKeys } from "../../../sdk/src/answers/account.ts";
import { call } from "../app/api.ts";
import { useResource } from "../app/resource.ts";
import { isOwner, OWNER_ONLY } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { copyText } from "../parts/copy-button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Secret } from "../parts/secret.tsx";
import { announce } from "../app/announce.ts";

export function SigningKeysCards() {
  const keys = useResource<SigningKeys>(isOwner.value ? "/v2/keys" : null);
  const [isRotating, setRotating] = useState(false);
  return (
    <>
      <article class="card">
        <header>
          <h2>Signing keys</h2>
          {!isOwner.value ? null : (
            <div class="acts">
              <Button isSmall icon="retry" onPress={() => setRotating(true)}>
                Rotate…
              </Button>
            </div>
          )}
        </header>
        <LoadProblem of={keys} what="the signing keys" />
        {!isOwner.value ? null : (
          <ul class="list">
            <KeyRow name="Current" value={keys.value?.current ?? ""} />
            <KeyRow name="Next" value={keys.value?.next ?? ""} />
          </ul>
        )}
        <p class="more">
          {isOwner.value
            ? "Receivers verify deliveries with them. Rotating makes the next key current; receivers that know both notice nothing."
            : OWNER_ONLY}
        </p>
      </article>
      {keys.value === null ? null : <ConnectCard keys={keys.value} />}
      {isRotating ? <RotateKeysDialog onClose={() => setRotating(false)} /> : null}
    </>
  );
}

function KeyRow({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <li>
      <Icon name="key" />
      <b class="key-name">{name}</b>
      <span class="grow">
        <Secret value={value} what={`${name.toLowerCase()} key`} />
      </span>
    </li>
  );
}

function RotateKeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Rotate the signing keys?"
      confirm="Rotate signing keys"
      cancel="Keep them"
      isDanger
      onConfirm={rotate}
      onClose={onClose}
    >
      <ul class="bullets soft">
        <li>The next key becomes the current one. Deliveries are signed with it from now on.</li>
        <li>A new next key is made. The old current key is gone.</li>
        <li>
          Receivers that know both keys notice nothing. Those that know only the current one refuse
          deliveries until you give them the new one.
        </li>
      </ul>
    </Dialog>
  );
}

async function rotate(): Promise<void> {
  await call("/v2/keys/rotate", { method: "POST" });
  announce("The signing keys are rotated. Give the new next key to your receivers.");
}

function ConnectCard({ keys }: { readonly keys: SigningKeys }) {
  const copy = (): void => {
    const text = linesOf(keys).map(([name, value]) => `${name}=${value}`);
    void copyText(text.join("\n"), "The lines");
  };
  return (
    <article class="card">
      <header>
        <h2>Connect an app</h2>
        <div class="acts">
          <Button isSmall kind="quiet" icon="copy" label="Copy all lines" onPress={copy} />
        </div>
      </header>
      <pre class="code" tabIndex={0} aria-label="Environment of an app">
        {linesOf({ current: masked(keys.current), next: masked(keys.next) }).map(
          ([name, value]) => (
            <>
              <span class="k">{name}</span>=
              {value === "" ? <span class="c"># paste a token</span> : value}
              {"\n"}
            </>
          ),
        )}
      </pre>
    </article>
  );
}

function linesOf({ current, next }: SigningKeys): [string, string][] {
  return [
    ["POSTRIDER_URL", window.location.origin],
    ["POSTRIDER_TOKEN", ""],
    ["POSTRIDER_CURRENT_SIGNING_KEY", current],
    ["POSTRIDER_NEXT_SIGNING_KEY", next],
  ];
}

function masked(key: string): string {
  return `${key.slice(0, 4)}••••••••`;
}
