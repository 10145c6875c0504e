/** The menu at the thumb, when narrow: four screens, and a sheet with the rest. */
import { useEffect, useState } from "preact/hooks";
import { shortCount } from "../app/format.ts";
import { place } from "../app/router.ts";
import { signOut } from "../app/session.ts";
import { switchTheme } from "../app/theme.ts";
import { Icon } from "../parts/icon.tsx";
import { useUsed } from "./account-facts.ts";
import { isCurrent, MENU, type MenuItem } from "./menu.ts";
import { isShown } from "./side-bar.tsx";

const FIRST_COUNT = 4;

export function TabBar() {
  const [isOpen, setOpen] = useState(false);
  const { path } = place.value;
  useEffect(() => setOpen(false), [path]);
  const items = MENU.flatMap((group) => group.items.filter(isShown));
  const rest = items.slice(FIRST_COUNT);
  return (
    <>
      {isOpen ? <RestSheet items={rest} path={path} /> : null}
      <nav class="tabbar" aria-label="Main, narrow">
        {items.slice(0, FIRST_COUNT).map((item) => (
          <TabLink key={item.href} item={item} path={path} />
        ))}
        <button
          type="button"
          aria-expanded={isOpen}
          class={rest.some(({ href }) => isCurrent(href, path)) ? "current" : ""}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="more" />
          <span>More</span>
        </button>
      </nav>
    </>
  );
}

function TabLink({ item, path }: { readonly item: MenuItem; readonly path: string }) {
  const count = useUsed(item.isAlarming === true ? item.counts : undefined);
  return (
    <a href={item.href} aria-current={isCurrent(item.href, path) ? "page" : undefined}>
      <Icon name={item.icon} />
      <span>{item.name}</span>
      {count === null || count === 0 ? null : <span class="n">{shortCount(count)}</span>}
    </a>
  );
}

function RestSheet({
  items,
  path,
}: {
  readonly items: readonly MenuItem[];
  readonly path: string;
}) {
  return (
    <nav class="tab-sheet sheet nav" aria-label="More">
      {items.map(({ name, href, icon }) => (
        <a key={href} href={href} aria-current={isCurrent(href, path) ? "page" : undefined}>
          <Icon name={icon} />
          <span>{name}</span>
        </a>
      ))}
      <button type="button" onClick={switchTheme}>
        <Icon name="theme" />
        <span>Theme</span>
      </button>
      <button type="button" onClick={() => void signOut()}>
        <Icon name="x" />
        <span>Sign out</span>
      </button>
    </nav>
  );
}
