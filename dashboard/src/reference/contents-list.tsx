/** The contents of the reference, with a search over all of it. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { navigate, place, setQuery } from "../app/router.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { contentsOf, type Entry, type Group, searched, type View } from "./contents.ts";
import type { OpenApi } from "./document.ts";

interface ContentsListProps {
  readonly document: OpenApi;
  readonly view: View;
}

export function ContentsList({ document, view }: ContentsListProps) {
  const { hash, query } = place.value;
  const text = query.get("q") ?? "";
  const list = useRef<HTMLElement>(null);
  const all = useMemo(() => contentsOf(document), [document]);
  const groups = useMemo(() => searched(all, text), [all, text]);
  const entries = groups.flatMap((group) => group.entries);
  const current = entries.some(({ id }) => id === hash) ? hash : view.kind;
  useKeys({ j: () => step(entries, current, 1), k: () => step(entries, current, -1) });
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <nav ref={list} class="contents" aria-label="Contents">
      <div class="contents-head">
        <SearchField text={text} />
        <p class="hint" role="status">
          {text === "" ? "" : entries.length === 1 ? "1 match" : `${entries.length} matches`}
        </p>
      </div>
      {entries.length === 0 ? (
        <Button isSmall onPress={() => setQuery({ q: null })}>
          Show everything
        </Button>
      ) : null}
      {groups.map((group) => (
        <ContentsGroup key={group.name} group={group} current={current} />
      ))}
    </nav>
  );
}

function SearchField({ text }: { readonly text: string }) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => input.current?.focus() });
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        ref={input}
        aria-label="Search the reference"
        placeholder="Search"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <kbd class="hide-s">/</kbd>
    </div>
  );
}

function ContentsGroup({ group, current }: { readonly group: Group; readonly current: string }) {
  return (
    <>
      <h2>
        <a href={`#${group.id}`}>{group.name}</a>
      </h2>
      <ul>
        {group.entries.map(({ id, name, verb }) => (
          <li key={id}>
            <a href={`#${id}`} title={name} aria-current={id === current ? "page" : undefined}>
              <span class="grow cut">{name}</span>
              {verb === undefined ? null : <code>{verb}</code>}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The entry after or before the one that is shown. */
function step(entries: readonly Entry[], current: string, by: number): void {
  const at = entries.findIndex(({ id }) => id === current);
  const next = entries[at < 0 ? 0 : at + by];
  if (next !== undefined)
    navigate(`${place.value.path}${window.location.search}#${next.id}`, "replace");
}
