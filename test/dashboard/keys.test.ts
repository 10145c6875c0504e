/** Single keys: which part hears one, and when none does. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { dashboardModule, page, pass, UsedHook } from "../support/dashboard-modules.ts";
import { StubWindow } from "../support/stub-window.ts";

class Input {
  readonly type: string;
  constructor(type: string) {
    this.type = type;
  }
  matches(selector: string): boolean {
    return selector.includes("input");
  }
}
Reflect.set(globalThis, "HTMLInputElement", Input);
const stored = new Map<string, string>();
Reflect.set(globalThis, "localStorage", {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => stored.set(name, value),
});

const stub = new StubWindow();
const { areKeysOn, setKeysOn, startKeys, useKeys } = await dashboardModule<{
  areKeysOn: { readonly value: boolean };
  setKeysOn: (isOn: boolean) => void;
  startKeys: () => void;
  useKeys: (actions: Readonly<Record<string, () => void>>) => void;
}>("app/keys.ts");
const { useRowKeys } = await dashboardModule<{
  useRowKeys: (options: {
    keys: readonly string[];
    open: (at: number) => void;
    selection: { toggle: (key: string, keys: readonly string[], isRange: boolean) => void };
    isOn: boolean;
  }) => string | null;
}>("parts/row-keys.ts");
startKeys();

let heard: string[] = [];
let isDialogOpen = false;
const parts: { leave: () => Promise<void> }[] = [];

describe("single keys", () => {
  beforeEach(() => {
    heard = [];
    isDialogOpen = false;
    setKeysOn(true);
    stub.find = (selector) => (selector === "dialog[open]" && isDialogOpen ? {} : null);
    mock.timers.enable({ apis: ["setTimeout"] });
  });
  afterEach(async () => {
    for (const part of parts.splice(0)) await part.leave();
    await pass(2_000);
    mock.timers.reset();
  });

  test("the newest part that knows a key hears it, and the one below again when it has gone", async () => {
    await show("below", ["j", "x"]);
    await show("above", ["j"]);
    press("j", "x", "y");
    await parts.pop()!.leave();
    press("j");
    assert.deepEqual(heard, ["above j", "below x", "below j"]);
  });

  test("a letter with shift is a key of its own, whichever case the browser says", async () => {
    await show("part", ["x", "Shift+X", "?"]);
    press("x");
    press({ key: "X", shiftKey: true });
    press({ key: "?", shiftKey: true });
    assert.deepEqual(heard, ["part x", "part Shift+X", "part ?"]);
  });

  test("nothing is heard below an open dialog, with a modifier, or after another part", async () => {
    await show("part", ["r", "Escape"]);
    for (const modifier of ["metaKey", "ctrlKey", "altKey"]) press({ key: "r", [modifier]: true });
    press({ key: "r", isDone: true });
    isDialogOpen = true;
    press("r", "Escape");
    assert.deepEqual(heard, []);
  });

  test("the reader who types hears none but Escape; a box to tick is not typed into", async () => {
    await show("part", ["x", "Escape"]);
    const area = { matches: (selector: string) => selector.includes("textarea") };
    press({ key: "x", target: new Input("text") }, { key: "x", target: area });
    press({ key: "Escape", target: area }, { key: "x", target: new Input("checkbox") });
    assert.deepEqual(heard, ["part Escape", "part x"]);
  });

  test("space and Enter press the control that has the focus", async () => {
    await show("part", [" ", "Enter", "x"]);
    const button = { matches: (selector: string) => selector.includes("button") };
    for (const key of [" ", "Enter", "x"]) press({ key, target: button });
    press(" ", "Enter");
    assert.deepEqual(heard, ["part x", "part  ", "part Enter"]);
  });

  test("keys that are switched off stay so, all but Escape", async () => {
    await show("part", ["x", "Escape"]);
    setKeysOn(false);
    press("x", "Escape", "g", "m");
    assert.deepEqual([heard, areKeysOn.value], [["part Escape"], false]);
    assert.equal(stored.get("postrider.keys"), "off");
    assert.equal(stub.location.pathname, "/");
  });

  test("g and a letter go to a screen; the letter alone, or too late, does not", async () => {
    await show("part", ["m"]);
    press("g", "m");
    assert.equal(stub.location.pathname, "/messages");
    press("g", "y", "m");
    press("g");
    await pass(1_500);
    press("m");
    assert.deepEqual(heard, ["part m", "part m"]);
    press("g");
    isDialogOpen = true;
    press("d");
    isDialogOpen = false;
    press("d");
    assert.equal(stub.location.pathname, "/messages");
  });

  test("j and k move over the rows and stop at both ends, x chooses and Enter opens", async () => {
    const keys = ["a", "b", "c"];
    const chosen: string[] = [];
    const opened: number[] = [];
    const rows = new UsedHook(useRowKeys, {
      keys,
      open: (at) => opened.push(at),
      selection: { toggle: (key, _, isRange) => chosen.push(`${key} ${isRange}`) },
      isOn: true,
    });
    parts.push(rows);
    const moved = async (key: string): Promise<string | null> => {
      await pass(0);
      press(key);
      await pass(0);
      return rows.value;
    };
    assert.equal(await moved("x"), null);
    assert.equal(await moved("j"), "a");
    assert.equal(await moved("k"), "a");
    for (const expected of ["b", "c", "c"]) assert.equal(await moved("j"), expected);
    assert.equal(await moved("k"), "b");
    press("x", { key: "X", shiftKey: true }, "Enter");
    assert.deepEqual(chosen, ["b false", "b true"]);
    assert.deepEqual(opened, [1]);
  });
});

async function show(name: string, keys: readonly string[]): Promise<void> {
  const actions = keys.map((key) => [key, () => void heard.push(`${name} ${key}`)] as const);
  parts.push(new UsedHook(useKeys, Object.fromEntries(actions)));
  await pass(0);
}

interface Press {
  readonly key: string;
  readonly shiftKey?: boolean;
  readonly target?: object;
  /** Another part has dealt with it. */
  readonly isDone?: boolean;
}

function press(...presses: readonly (string | Press)[]): void {
  for (const each of presses) {
    const { target = {}, isDone, ...given } = typeof each === "string" ? { key: each } : each;
    const event = Object.assign(new Event("keydown", { cancelable: true }), given);
    Object.defineProperty(event, "target", { value: target });
    if (isDone === true) event.preventDefault();
    page.dispatchEvent(event);
  }
}
