import * as flowControl from "../../operations/line/flow-control.ts";
import * as wire from "../../wire/line/flow-control-key.ts";
import { emptyAfter, json } from "../http/answers/answer.ts";
import type { AccountCall, Route } from "../http/server/call.ts";

export const FLOW_CONTROL_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/flowControl",
    title: "List flow-control keys",
    needs: "read",
    handler: async ({ context }, { accountId, query }) =>
      json(200, await flowControl.listFlowControlKeys(context, accountId, wire.readSearch(query))),
    lists: true,
    says: "Lists flow-control keys by name; `?search=` finds a part of the name. `waitListSize` is exact for small keys; large ones share a count of 20,000 messages.",
    query: wire.SEARCH_ROWS,
    answers: { 200: wire.FLOW_CONTROL_KEYS },
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/pause",
    title: "Pause a key",
    needs: "write",
    handler: ({ context }, call) => emptyAfter(flowControl.pause(context, keyOf(call))),
    says: "Pauses a key: no message under it starts.",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/resume",
    title: "Resume a key",
    needs: "write",
    handler: ({ context }, call) => emptyAfter(flowControl.resume(context, keyOf(call))),
    says: "Resumes a paused key.",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/pin",
    title: "Pin limits of a key",
    needs: "write",
    handler: ({ context }, call) =>
      emptyAfter(flowControl.pin(context, keyOf(call), wire.readPin(call.query))),
    says: "Fixes `?parallelism=`, or `?rate=` with `?period=` in seconds. Messages no longer change it.",
    query: wire.PIN_ROWS,
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/unpin",
    title: "Unpin limits of a key",
    needs: "write",
    handler: ({ context }, call) =>
      emptyAfter(flowControl.unpin(context, keyOf(call), wire.readUnpin(call.query))),
    says: "With `?parallelism=true` or `?rate=true`, lets messages set it again.",
    query: wire.UNPIN_ROWS,
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/resetRate",
    title: "Reset the rate of a key",
    needs: "write",
    handler: ({ context }, call) => emptyAfter(flowControl.resetRate(context, keyOf(call))),
    says: "Starts a new rate period, so that messages waiting for the rate can start.",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/reset",
    title: "Reset a key",
    needs: "write",
    handler: ({ context }, call) => emptyAfter(flowControl.resetRate(context, keyOf(call))),
    says: "The older name of `resetRate`.",
    answers: { 200: null },
    isOlder: true,
  },
  {
    method: "GET",
    path: "/v2/flowControl/{flowControlKey+}",
    title: "Get a flow-control key",
    needs: "read",
    handler: async ({ context }, call) =>
      json(200, await flowControl.getFlowControlKey(context, keyOf(call))),
    says: "Shows the limits of a key and its current use.",
    answers: { 200: wire.FLOW_CONTROL_KEY },
  },
  {
    method: "GET",
    path: "/v2/globalParallelism",
    title: "Get the parallelism in use",
    needs: "read",
    handler: async ({ context }, { account }) =>
      json(200, await flowControl.getGlobalParallelism(context, account)),
    says: "Shows how many attempts of the account are in progress, and the limit; 0 is no limit.",
    answers: { 200: wire.GLOBAL_PARALLELISM },
  },
];

function keyOf({ accountId, id }: AccountCall): flowControl.FlowControlKey {
  return { accountId, key: wire.parseFlowControlKey(id) };
}
