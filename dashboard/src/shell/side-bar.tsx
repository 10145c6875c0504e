/** The menu at the left. */
import { countText, shortCount } from "../app/format.ts";
import { unreachableSince } from "../app/reachable.ts";
import { place } from "../app/router.ts";
import { isOperator, session, signOut } from "../app/session.ts";
import { switchTheme } from "../app/theme.ts";
import { Button } from "../parts/button.tsx";
import { Icon, Mark } from "../parts/icon.tsx";
import { useOwnAccount, useUsed } from "./account-facts.ts";
import { DevClockRow } from "./dev-clock.tsx";
import { isCurrent, MENU, type MenuItem } from "./menu.ts";

export function SideBar({ onKeys }: { readonly onKeys: () => void }) {
  return (
    <aside class="side">
      <a class="brand" href="/" aria-label="Postrider, overview">
        <Mark />
        <span>Postrider</span>
      </a>
      {session.value === null ? null : <AccountMenu />}
      <nav class="nav" aria-label="Main">
        {MENU.map(({ title, items }) => {
          const shown = items.filter(isShown);
          if (shown.length === 0) return null;
          return (
            <>
              {title === null ? null : <h2>{title}</h2>}
              {shown.map((item) => (
                <MenuLink key={item.href} item={item} />
              ))}
            </>
          );
        })}
      </nav>
      <div class="side-foot">
        <ServerState />
        <DevClockRow />
        <div class="row">
          <Button isSmall kind="quiet" icon="theme" label="Theme" onPress={switchTheme}>
            <span>Theme</span>
          </Button>
          <span class="grow" />
          <Button isSmall kind="quiet" shortcut="?" onPress={onKeys} class="keys-button">
            Keys
          </Button>
        </div>
      </div>
    </aside>
  );
}

export function isShown({ isFor }: MenuItem): boolean {
  if (isFor === "all") return true;
  if (session.value === null) return false;
  return isFor === undefined || (isFor === "operator") === isOperator.value;
}

function MenuLink({ item }: { readonly item: MenuItem }) {
  const count = useUsed(item.counts);
  return (
    <a
      href={item.href}
      aria-current={isCurrent(item.href, place.value.path) ? "page" : undefined}
      title={item.name}
    >
      <Icon name={item.icon} />
      <span>{item.name}</span>
      {count === null || count === 0 ? null : (
        <span class={`n ${item.isAlarming === true ? "bad" : ""}`} title={countText(count)}>
          {shortCount(count)}
        </span>
      )}
    </a>
  );
}

function AccountMenu() {
  const account = useOwnAccount();
  const name = isOperator.value ? "Operator" : (session.value?.name ?? "Account");
  return (
    <details class="account-menu">
      <summary class="account">
        <span class="grow cut" title={session.value?.accountId ?? undefined}>
          {name}
        </span>
        <span class="muted small">{account.value?.type ?? ""}</span>
        <Icon name="down" />
      </summary>
      <div class="sheet">
        <button type="button" class="btn quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </details>
  );
}

function ServerState() {
  const isAway = unreachableSince.value !== null;
  const version = session.value?.version ?? "";
  return (
    <div class="row">
      <span class={`dot ${isAway ? "bad" : "ok"}`} />
      {isAway ? "Server does not answer" : `Server answers${version === "" ? "" : `, ${version}`}`}
    </div>
  );
}
