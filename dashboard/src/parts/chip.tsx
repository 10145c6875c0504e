/** The state of a thing: always a shape and a word beside the color. The tooltip is the API's word. */
import { second } from "../app/clock.ts";
import { roughText } from "../app/format.ts";
import { Icon, type IconName } from "./icon.tsx";

interface Look {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: "" | "live" | "done" | "retry" | "fail" | "held" | "void";
}

/** Messages, runs and steps, by the API's word. */
const LOOKS: Readonly<Record<string, Look>> = {
  CREATED: { word: "Waiting", icon: "ring", tone: "" },
  ACTIVE: { word: "Sending", icon: "disc", tone: "live" },
  RETRY: { word: "Retrying", icon: "retry", tone: "retry" },
  ERROR: { word: "Error", icon: "alert", tone: "fail" },
  DELIVERED: { word: "Delivered", icon: "check", tone: "done" },
  FAILED: { word: "Failed", icon: "x", tone: "fail" },
  CANCEL_REQUESTED: { word: "Canceling", icon: "minus", tone: "void" },
  CANCELED: { word: "Canceled", icon: "minus", tone: "void" },
  CALLBACK_INPROGRESS: { word: "Calling", icon: "disc", tone: "live" },
  CALLBACK_SUCCESS: { word: "Delivered", icon: "check", tone: "done" },
  CALLBACK_FAIL: { word: "Failed", icon: "x", tone: "fail" },
  CALLBACK_CANCELED: { word: "Canceled", icon: "minus", tone: "void" },
  RUN_STARTED: { word: "Running", icon: "disc", tone: "live" },
  RUN_SUCCESS: { word: "Succeeded", icon: "check", tone: "done" },
  RUN_FAILED: { word: "Failed", icon: "x", tone: "fail" },
  RUN_CANCELED: { word: "Canceled", icon: "minus", tone: "void" },
  STEP_PROGRESS: { word: "Running", icon: "disc", tone: "live" },
  STEP_RETRY: { word: "Retrying", icon: "retry", tone: "retry" },
  STEP_SUCCESS: { word: "Succeeded", icon: "check", tone: "done" },
  STEP_FAILED: { word: "Failed", icon: "x", tone: "fail" },
  STEP_CANCELED: { word: "Canceled", icon: "minus", tone: "void" },
  sleeping: { word: "Sleeping", icon: "sleep", tone: "held" },
  "waiting-for-event": { word: "Waiting for event", icon: "event", tone: "held" },
  paused: { word: "Paused", icon: "pause", tone: "held" },
  skipped: { word: "Skipped", icon: "minus", tone: "void" },
  gone: { word: "Sent", icon: "ring", tone: "" },
};

/** Why a message waits. */
const REASONS: Readonly<Record<string, Look>> = {
  delay: { word: "Delayed", icon: "clock", tone: "" },
  retry: { word: "Retrying", icon: "retry", tone: "retry" },
  paused: { word: "Paused", icon: "pause", tone: "held" },
  "queue-full": { word: "Queue full", icon: "queue", tone: "" },
  "key-rate": { word: "Key rate", icon: "gauge", tone: "" },
  "key-parallelism": { word: "Key full", icon: "flow", tone: "" },
  "account-parallelism": { word: "Account full", icon: "flow", tone: "" },
  "node-full": { word: "Server busy", icon: "node", tone: "" },
  "host-full": { word: "Host busy", icon: "globe", tone: "" },
  "host-failing": { word: "Host down", icon: "unplug", tone: "" },
};

export function wordOf(state: string): string {
  return LOOKS[state]?.word ?? state;
}

export interface ChipProps {
  /** The API's word. */
  readonly state: string;
  readonly isBig?: boolean;
  readonly waiting?: { readonly reason: string; readonly endsAt: number | null } | null | undefined;
}

export function Chip({ state, isBig = false, waiting }: ChipProps) {
  const look = REASONS[waiting?.reason ?? ""] ??
    LOOKS[state] ?? { word: state, icon: "ring", tone: "" };
  return (
    <span class={`chip ${look.tone} ${isBig ? "big" : ""}`} title={state}>
      <Icon name={look.icon} />
      {waiting === null || waiting === undefined ? (
        look.word
      ) : (
        <WaitingWord {...waiting} word={look.word} />
      )}
    </span>
  );
}

function WaitingWord({
  reason,
  endsAt,
  word,
}: {
  readonly reason: string;
  readonly endsAt: number | null;
  readonly word: string;
}) {
  if (endsAt === null) return <>{word}</>;
  const leftMs = endsAt - second.value;
  if (reason !== "delay" && reason !== "retry")
    return <>{leftMs > 0 ? `${word}, ${roughText(leftMs)}` : word}</>;
  if (reason === "retry") return <>{leftMs > 0 ? `Retry in ${roughText(leftMs)}` : "Retry due"}</>;
  return <>{leftMs > 0 ? `Due in ${roughText(leftMs)}` : "Due now"}</>;
}

/** A chip of the same size, while the state is not known. */
export function ChipSkeleton() {
  return <svg class="skel" width="76" aria-hidden="true" />;
}
