/** The URL is the state of a screen: how it is read, changed and followed. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { dashboardModule, page } from "../support/dashboard-modules.ts";
import { ORIGIN, StubWindow } from "../support/stub-window.ts";

const stub = new StubWindow();
const { navigate, place, setQuery, startRouter } = await dashboardModule<{
  navigate: (href: string, how?: "push" | "replace") => void;
  place: {
    readonly value: {
      readonly path: string;
      readonly query: URLSearchParams;
      readonly hash: string;
    };
  };
  setQuery: (changes: Readonly<Record<string, string | null>>) => void;
  startRouter: () => void;
}>("app/router.ts");
startRouter();

describe("the URL of a screen", () => {
  beforeEach(() => {
    navigate("/");
    stub.steps.splice(0, stub.steps.length - 1);
    stub.focused = 0;
  });

  test("its path, its filter and its part are read, with or without a slash at the end", () => {
    for (const [href, path] of [
      ["/messages?state=FAILED&host=a#log", "/messages"],
      ["/messages/?state=FAILED&host=a#log", "/messages"],
      ["/?state=FAILED&host=a#log", "/"],
    ] as const) {
      navigate(href);
      assert.equal(place.value.path, path);
      assert.equal(String(place.value.query), "state=FAILED&host=a");
      assert.equal(place.value.hash, "log");
    }
  });

  test("another screen is a step of the history, begins at its top, and its heading has the focus", () => {
    stub.scrollY = 700;
    navigate("/messages");
    assert.deepEqual([stub.steps.length, stub.scrollY, stub.focused], [2, 0, 1]);
    navigate("/messages?state=FAILED");
    assert.deepEqual([stub.steps.length, stub.focused], [3, 1], "the same screen stays as it is");
  });

  test("the way back leads to where the reader was", () => {
    navigate("/messages");
    stub.scrollY = 700;
    navigate("/messages/msg_1");
    stub.back();
    assert.deepEqual([place.value.path, stub.scrollY], ["/messages", 700]);
    stub.back();
    assert.deepEqual([place.value.path, stub.scrollY], ["/", 0]);
  });

  test("a filter is changed part by part, and is no step of the history", () => {
    navigate("/messages?state=FAILED&host=a#log");
    const steps = stub.steps.length;
    stub.scrollY = 300;
    setQuery({ host: "b c", key: "k" });
    assert.equal(stub.location.href, `${ORIGIN}/messages?state=FAILED&host=b+c&key=k#log`);
    setQuery({ host: null, state: "", key: "k" });
    assert.equal(stub.location.href, `${ORIGIN}/messages?key=k#log`);
    setQuery({ key: null });
    assert.equal(stub.location.href, `${ORIGIN}/messages#log`);
    assert.deepEqual([stub.steps.length, stub.scrollY], [steps, 300]);
    assert.equal(String(place.value.query), "");
  });

  test("a link to a screen is followed without a request", () => {
    assert.equal(click({ href: `${ORIGIN}/runs?state=RUN_FAILED#x` }), true);
    assert.equal(stub.location.href, `${ORIGIN}/runs?state=RUN_FAILED#x`);
    assert.equal(place.value.path, "/runs");
    // Names that only begin like those that the server answers.
    for (const path of ["/v2x", "/metrics-of-mine"])
      assert.equal(click({ href: `${ORIGIN}${path}` }), true, path);
  });

  test("what is not a screen, or is wanted otherwise, is left to the browser", () => {
    const own = { href: `${ORIGIN}/runs` };
    for (const path of ["/v2/logs", "/v2", "/openapi.json", "/metrics", "/healthz", "/echo/x"])
      assert.equal(click({ href: `${ORIGIN}${path}` }), false, path);
    assert.equal(click({ href: "https://other.example/runs" }), false);
    assert.equal(click({ ...own, target: "_blank" }), false);
    assert.equal(click({ ...own, isDownload: true }), false);
    assert.equal(click(null), false);
    for (const key of ["metaKey", "ctrlKey", "shiftKey", "altKey"])
      assert.equal(click(own, { [key]: true }), false, key);
    assert.equal(click(own, { button: 1 }), false);
    assert.equal(click(own, {}, true), false, "a part has dealt with it");
    assert.equal(place.value.path, "/");
  });
});

interface Link {
  readonly href: string;
  readonly target?: string;
  readonly isDownload?: boolean;
}

/** Whether the page followed the link itself. */
function click(link: Link | null, more: object = {}, isDone = false): boolean {
  const anchor = link && {
    href: link.href,
    target: link.target ?? "",
    hasAttribute: (name: string) => name === "download" && link.isDownload === true,
  };
  const event = Object.assign(new Event("click", { cancelable: true }), { button: 0, ...more });
  Object.defineProperty(event, "target", { value: { closest: () => anchor } });
  if (isDone) event.preventDefault();
  const before = stub.steps.length;
  page.dispatchEvent(event);
  return stub.steps.length > before;
}
