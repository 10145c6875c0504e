import { readFileSync } from "node:fs";
import { docsPage } from "./docs-page.ts";
import type { OpenApi } from "./document.ts";
import { type DocumentedGroup, openApiOf } from "./openapi.ts";
import { type StaticPage, staticPage } from "./static-page.ts";

/** The reference of the API. Each page is made when it is first read, and kept. */
export class Reference {
  readonly #groups: readonly DocumentedGroup[];
  readonly #version: string;
  readonly #pages = new Map<string, StaticPage>();

  constructor(groups: readonly DocumentedGroup[], version: string) {
    this.#groups = groups;
    this.#version = version;
  }

  get openApi(): StaticPage {
    return this.#page("openapi", "application/json", () => JSON.stringify(this.#document()));
  }

  /** The same for people. */
  get docs(): StaticPage {
    const styleUrl = `/docs/style.css?v=${this.style.etag.slice(1, -1)}`;
    return this.#page("docs", "text/html; charset=utf-8", () =>
      docsPage(this.#document(), styleUrl),
    );
  }

  get style(): StaticPage {
    return this.#page("style", "text/css; charset=utf-8", () => readFileSync(STYLE, "utf8"));
  }

  #document(): OpenApi {
    return openApiOf(this.#groups, this.#version);
  }

  #page(name: string, contentType: string, make: () => string): StaticPage {
    const kept = this.#pages.get(name);
    if (kept !== undefined) return kept;
    const made = staticPage(make(), contentType);
    this.#pages.set(name, made);
    return made;
  }
}

const STYLE = new URL("./docs.css", import.meta.url);
