import type { OpenApi, Tag } from "./document.ts";
import { type ListedOperation, olderNames, operationSection, verb } from "./docs-operation.ts";
import { introduction, headersPart, refusalsPart, schemasPart } from "./docs-parts.ts";
import { type Html, html, inline } from "./html.ts";

interface Feature extends Tag {
  readonly id: string;
  readonly current: readonly ListedOperation[];
  readonly older: readonly ListedOperation[];
}

/** The reference as one page, made from the OpenAPI document alone. */
export function docsPage(document: OpenApi, styleUrl: string): string {
  const features = featuresOf(document);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Postrider API reference</title>
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${styleUrl}" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <div class="app">
          <aside class="side">
            <a class="brand" href="#content">${MARK}<span>Postrider</span></a>
            <a class="menu-link" href="#menu">Contents</a>
            <div class="menu" id="menu">
              <a class="menu-link" href="#content">Close</a>
              ${navigation(features)}
            </div>
          </aside>
          <main id="content">
            ${introduction(document)} ${features.map((feature) => featurePart(feature, document))}
            ${headersPart(document)} ${refusalsPart()} ${schemasPart(document)}
          </main>
        </div>
      </body>
    </html>`;
  return page.text;
}

function featuresOf({ tags, paths }: OpenApi): Feature[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method,
      path: operation["x-path"] ?? path,
      operation,
    })),
  );
  return tags.map((tag) => {
    const own = all.filter(({ operation }) => operation.tags.includes(tag.name));
    return {
      ...tag,
      id: tag.name.toLowerCase().replaceAll(" ", "-"),
      current: own.filter(({ operation }) => operation.deprecated !== true),
      older: own.filter(({ operation }) => operation.deprecated === true),
    };
  });
}

function navigation(features: readonly Feature[]): Html {
  const groups = features.map(
    ({ id, name, current }) =>
      html`<h2><a href="#${id}">${name}</a></h2>
        <ul>
          ${current.map(
            ({ method, operation }) =>
              html`<li>
                <a href="#${operation.operationId}"
                  ><span class="cut">${operation.summary}</span>${verb(method, operation)}</a
                >
              </li>`,
          )}
        </ul>`,
  );
  const pages = START_AND_END.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`);
  return html`<nav class="nav" aria-label="Contents">
    <ul>
      ${pages}
    </ul>
    ${groups}
  </nav>`;
}

function featurePart(feature: Feature, document: OpenApi): Html {
  const { id, name, description, current, older } = feature;
  return html`<section class="feature" id="${id}">
    <header class="feature-head">
      <h2>${name}</h2>
      <p>${inline(description)}</p>
    </header>
    ${current.map((listed) => operationSection(listed, document))} ${olderNames(older)}
  </section>`;
}

const START_AND_END = [
  ["introduction", "Introduction"],
  ["authentication", "Authentication"],
  ["headers", "Headers"],
  ["refusals", "Refusals"],
  ["schemas", "Schemas"],
] as const;

const MARK = html`<svg viewBox="0 0 24 24" aria-hidden="true">
  <rect class="mark-bg" width="24" height="24" rx="6.5" />
  <path class="mark-fg" d="M8.6 7.5h10l-2.3 9h-10zM9 8l4.3 4.6L18.2 8M4.8 10.3h1.7M3.8 13.7h1.9" />
</svg>`;

/** In the page itself: it is served where no dashboard was built, too. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect fill="#2f55d4" width="24" height="24" rx="6.5"/><path fill="none" stroke="#fff" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round" d="M8.6 7.5h10l-2.3 9h-10zM9 8l4.3 4.6L18.2 8M4.8 10.3h1.7M3.8 13.7h1.9"/></svg>',
)}`;
