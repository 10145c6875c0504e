import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings, refuseUnknownVariables } from "./read-settings.ts";
import { environmentOf, SETTINGS } from "./settings.ts";

test("a mistyped variable is refused with the nearest name", () => {
  refuses("POSTRIDER_DATABSE_URL", /did you mean POSTRIDER_DATABASE_URL\?/);
  refuses("POSTRIDER_FOO", /is not a setting; see postrider serve --help$/);
  refuses("POSTRIDER_PROT", /did you mean POSTRIDER_PORT\?/);
  refuses("POSTRIDER_MAXBATCHBYTES", /did you mean POSTRIDER_MAX_BATCH_BYTES\?/);
  refuses("POSTRIDER_FROBNICATION_LEVEL", /is not a setting; see postrider serve --help/);
});

test("no value of a variable is shown", () => {
  assert.throws(
    () => refuseUnknownVariables({ POSTRIDER_SECRET_KEI: "hidden" }),
    (error: Error) => !error.message.includes("hidden"),
  );
});

test("every setting, the SDK's variables, an empty one and those of other programs pass", () => {
  for (const name of Object.keys(SETTINGS)) refuseUnknownVariables({ [environmentOf(name)]: "x" });
  refuseUnknownVariables({ POSTRIDER_URL: "http://127.0.0.1:8080", POSTRIDER_CONFIG: "file" });
  refuseUnknownVariables({ POSTRIDER_PROT: "", POSTRIDERS: "x", DATABASE_URL: "x" });
});

test("a removed setting passes, and is no name to propose", () => {
  refuseUnknownVariables({ POSTRIDER_CHANNELS: "true" });
  refuses("POSTRIDER_CHANELS", /is not a setting; see postrider serve --help/);
});

test("what Kubernetes sets for Services is neither refused nor taken for a setting", () => {
  const environment = {
    POSTRIDER_SERVICE_HOST: "10.0.0.11",
    POSTRIDER_SERVICE_PORT: "8080",
    POSTRIDER_SERVICE_PORT_HTTP: "8080",
    POSTRIDER_PORT: "tcp://10.0.0.11:8080",
    POSTRIDER_PORT_8080_TCP: "tcp://10.0.0.11:8080",
    POSTRIDER_PORT_8080_TCP_PROTO: "tcp",
    POSTRIDER_CONSOLE_SERVICE_HOST: "10.0.0.12",
    POSTRIDER_CONSOLE_PORT: "tcp://10.0.0.12:8081",
    POSTRIDER_CONSOLE_PORT_8081_TCP_ADDR: "10.0.0.12",
  };
  refuseUnknownVariables(environment);
  const settings = readSettings("serve", { flags: {}, environment, configFile: undefined });
  assert.equal(settings.port, 8080);
  assert.equal(settings.consolePort, undefined);
});

function refuses(name: string, hint: RegExp): void {
  assert.throws(() => refuseUnknownVariables({ [name]: "x" }), {
    name: "SettingError",
    message: new RegExp(`^${name} .*${hint.source}`),
  });
}
