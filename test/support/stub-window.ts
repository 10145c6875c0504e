/** The window of a page without a browser: its address, its history and how far it is scrolled. */
import { page } from "./dashboard-modules.ts";

interface Entry {
  state: unknown;
  href: string;
}

export const ORIGIN = "https://postrider.example";

export class StubWindow extends EventTarget {
  /** Steps of the history up to the one that is shown. */
  readonly steps: Entry[] = [{ state: null, href: `${ORIGIN}/` }];
  scrollY = 0;
  focused = 0;

  constructor() {
    super();
    Reflect.set(globalThis, "window", this);
    Reflect.set(globalThis, "history", this.history);
    Reflect.set(globalThis, "requestAnimationFrame", (draw: () => void) => draw());
    Reflect.set(page, "querySelector", (selector: string) => this.find(selector));
  }

  get location(): URL {
    return new URL(this.steps.at(-1)!.href);
  }

  readonly history = {
    scrollRestoration: "auto",
    current: (): Entry => this.steps.at(-1)!,
    get state(): unknown {
      return this.current().state;
    },
    pushState: (state: unknown, _: string, href: string): void =>
      void this.steps.push({ state, href: new URL(href, this.location).href }),
    replaceState: (state: unknown, _: string, href?: string): void => {
      const at = this.location;
      this.steps[this.steps.length - 1] = { state, href: new URL(href ?? at.href, at).href };
    },
  };

  scrollTo(_: number, y: number): void {
    this.scrollY = y;
  }

  back(): void {
    this.steps.pop();
    const { state } = this.steps.at(-1)!;
    this.dispatchEvent(Object.assign(new Event("popstate"), { state }));
  }

  /** The parts of the page that a selector finds: a test says which there are. */
  find(selector: string): object | null {
    return selector === "h1" ? { focus: () => void this.focused++ } : null;
  }
}
