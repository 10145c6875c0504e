/** The stream of a page without a browser: a test pushes what the server would send. */
export class StubStream extends EventTarget {
  /** Those that the page has opened, the newest last. */
  static readonly opened: StubStream[] = [];
  readonly url: string;
  isClosed = false;

  constructor(url: string) {
    super();
    this.url = url;
    StubStream.opened.push(this);
  }

  push(...entries: readonly object[]): void {
    for (const each of entries)
      this.dispatchEvent(new MessageEvent("log", { data: JSON.stringify(each) }));
  }

  fail(): void {
    this.dispatchEvent(new Event("error"));
  }

  close(): void {
    this.isClosed = true;
  }
}

Reflect.set(globalThis, "EventSource", StubStream);
