/** What every screen stands in: the side bar, the tab bar when narrow, and notices that concern all screens. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { isReadOnly, session } from "../app/session.ts";
import { switchTheme } from "../app/theme.ts";
import { Notice } from "../parts/notice.tsx";
import { Toasts } from "../parts/toast.tsx";
import { KeysSheet } from "./keys-sheet.tsx";
import { SideBar } from "./side-bar.tsx";
import { TabBar } from "./tab-bar.tsx";
import { Unreachable } from "./unreachable.tsx";

export function Shell({
  children,
  isFirst,
}: {
  readonly children: ComponentChildren;
  readonly isFirst: boolean;
}) {
  const [areKeysShown, showKeys] = useState(false);
  useKeys({ t: switchTheme, "?": () => showKeys(true) });
  return (
    <div class={`app ${isFirst ? "first" : ""}`}>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        Skip to the content
      </a>
      <SideBar onKeys={() => showKeys(true)} />
      {session.value === null ? null : <TabBar />}
      <main class="page" id="main" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
      {areKeysShown ? <KeysSheet onClose={() => showKeys(false)} /> : null}
    </div>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** Above the content of every screen. */
export function CommonNotices() {
  return (
    <>
      <Unreachable />
      {isReadOnly.value ? (
        <Notice tone="warn" icon="lock" title="You are signed in with a read-only token.">
          You see everything; buttons that change something are off.
        </Notice>
      ) : null}
    </>
  );
}
