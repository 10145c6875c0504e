/** A service calls nothing by itself: no telemetry, no check for updates, no lookup of a name. */
import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { freePort } from "../support/free-port.ts";
import { TestService } from "../support/service-harness.ts";

/** What Node begins when it connects, looks a name up, or sends a datagram. */
const OUTGOING = new Set(["TCPCONNECTWRAP", "GETADDRINFOREQWRAP", "QUERYWRAP", "UDPSENDWRAP"]);

for (const mode of ["dev", "serve"] as const) {
  test(`${mode} starts and stops without a call to anything`, async () => {
    const begun: string[] = [];
    const hook = createHook({ init: (_, type) => void (OUTGOING.has(type) && begun.push(type)) });
    hook.enable();
    const service = await TestService.start({ mode });
    await service.stop();
    assert.deepEqual(begun, []);
    // The watch sees a connection when there is one.
    await once(connect(await freePort(), "127.0.0.1"), "error");
    hook.disable();
    assert.deepEqual(begun, ["TCPCONNECTWRAP"]);
  });
}
