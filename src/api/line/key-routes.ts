import type { Route } from "../http/call.ts";
import {
  listFlowControlKeys,
  pauseFlowControlKey,
  pinFlowControlKey,
  resetFlowControlKey,
  resumeFlowControlKey,
  showFlowControlKey,
  showGlobalParallelism,
  unpinFlowControlKey,
} from "./flow-control.ts";

export const FLOW_CONTROL_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/flowControl",
    needs: "read",
    handler: listFlowControlKeys,
    lists: true,
    says: "Lists flow-control keys by name; `?search=` finds a part of the name.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/pause",
    needs: "write",
    handler: pauseFlowControlKey,
    says: "Pauses a key: no message under it starts.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/resume",
    needs: "write",
    handler: resumeFlowControlKey,
    says: "Resumes a paused key.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/pin",
    needs: "write",
    handler: pinFlowControlKey,
    says: "Fixes `?parallelism=`, or `?rate=` with `?period=` in seconds. Messages no longer change it.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/unpin",
    needs: "write",
    handler: unpinFlowControlKey,
    says: "With `?parallelism=true` or `?rate=true`, lets messages set it again.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/resetRate",
    needs: "write",
    handler: resetFlowControlKey,
    says: "Starts a new rate period, so that messages waiting for the rate can start.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/reset",
    needs: "write",
    handler: resetFlowControlKey,
    says: "The older name of `resetRate`.",
  },
  {
    method: "GET",
    path: "/v2/flowControl/{flowControlKey+}",
    needs: "read",
    handler: showFlowControlKey,
    says: "Shows the limits of a key and its current use.",
  },
  {
    method: "GET",
    path: "/v2/globalParallelism",
    needs: "read",
    handler: showGlobalParallelism,
    says: "Shows how many attempts of the account are in progress, and the limit; 0 is no limit.",
  },
];
