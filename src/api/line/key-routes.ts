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
    says: "Lists flow-control keys by name; ?search= finds a part of it.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/pause",
    needs: "write",
    handler: pauseFlowControlKey,
    says: "Lets no message under the key start.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/resume",
    needs: "write",
    handler: resumeFlowControlKey,
    says: "Lets messages under a paused key start again.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/pin",
    needs: "write",
    handler: pinFlowControlKey,
    says: "Sets ?parallelism= or ?rate= with ?period= in seconds, whatever is published.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/unpin",
    needs: "write",
    handler: unpinFlowControlKey,
    says: "With ?parallelism=true or ?rate=true, lets what is published set it again.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/resetRate",
    needs: "write",
    handler: resetFlowControlKey,
    says: "Begins a new rate period, so that what waits for the rate can start.",
  },
  {
    method: "POST",
    path: "/v2/flowControl/{flowControlKey+}/reset",
    needs: "write",
    handler: resetFlowControlKey,
    says: "The same under its older name.",
  },
  {
    method: "GET",
    path: "/v2/flowControl/{flowControlKey+}",
    needs: "read",
    handler: showFlowControlKey,
    says: "Shows what a key lets through, and how it stands now.",
  },
  {
    method: "GET",
    path: "/v2/globalParallelism",
    needs: "read",
    handler: showGlobalParallelism,
    says: "Shows how many attempts the account has under way, and may have; 0 for no limit.",
  },
];
