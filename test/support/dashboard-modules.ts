/** Modules of the dashboard without a browser: JSX as its build understands it, and a page that is shown. */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { mock } from "node:test";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const SOURCES = new URL("../../dashboard/src/", import.meta.url);

/** The document of the page, which is shown unless a test hides it. */
export const page = Object.assign(new EventTarget(), { hidden: false });
Reflect.set(globalThis, "document", page);

registerHooks({
  load: (url, context, next) => {
    if (!url.endsWith(".tsx")) return next(url, context);
    const { code } = transformSync(readFileSync(fileURLToPath(url), "utf8"), {
      loader: "tsx",
      jsx: "automatic",
      jsxImportSource: "preact",
    });
    return { format: "module", source: code, shortCircuit: true };
  },
});

/** By its path, since the types of a browser are not known here. */
export async function dashboardModule<Module>(path: string): Promise<Module> {
  // The page's clock ticks for as long as the page is there, which would be for as long as this process.
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    return (await import(new URL(path, SOURCES).href)) as Module;
  } finally {
    mock.timers.reset();
  }
}

/** What the page takes for now, until its clock ticks. */
export async function setPageTime(now: number): Promise<void> {
  const { second } = await dashboardModule<{ second: { value: number } }>("app/clock.ts");
  second.value = now;
}

/** Lets the time of mocked timers pass second by second, and what it set off come to its end. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left >= 0; left -= 1_000) {
    mock.timers.tick(Math.min(left, 1_000));
    await new Promise(setImmediate);
  }
}

const { h, options, render } = (await import(import.meta.resolve("preact"))) as {
  h: (component: object, props: object) => object;
  options: { requestAnimationFrame?: (flush: () => void) => void };
  render: (node: object | null, parent: object) => void;
};
// Nothing is painted here, so what follows a drawing follows at once.
options.requestAnimationFrame = queueMicrotask;

/** A hook in a part that is shown: drawn anew when its state changes, until it is left. */
export class UsedHook<Args extends readonly unknown[], Value> {
  readonly #parent = { childNodes: [] };
  readonly #hook: (...args: Args) => Value;
  /** What the hook gave when the part was last drawn. */
  value!: Value;

  constructor(hook: (...args: Args) => Value, ...args: Args) {
    this.#hook = hook;
    this.draw(...args);
  }

  draw(...args: Args): void {
    render(h(this.#part, { args }), this.#parent);
  }

  async leave(): Promise<void> {
    render(null, this.#parent);
    await new Promise(setImmediate);
  }

  readonly #part = ({ args }: { args: Args }): null => {
    this.value = this.#hook(...args);
    return null;
  };
}

interface Node {
  readonly type: string | ((props: object) => unknown);
  readonly props: Readonly<Record<string, unknown>>;
}

/** What a component draws, as HTML. Its parts have no state of their own. */
export function drawn(node: unknown): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (Array.isArray(node)) return node.map(drawn).join("");
  if (typeof node === "string" || typeof node === "number") return String(node);
  const { type, props } = node as Node;
  if (typeof type === "function") return drawn(type(props));
  const attributes = Object.entries(props)
    .filter(([name, value]) => name !== "children" && isShown(value))
    .map(([name, value]) => ` ${name}="${String(value).trim()}"`);
  return `<${type}${attributes.join("")}>${drawn(props["children"])}</${type}>`;
}

/** The words that one reads in it. */
export function words(node: unknown): string {
  return drawn(node)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function isShown(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && typeof value !== "function";
}
