import { wantedMembers } from "../policy/limits/json-members.ts";
import type { Message } from "../model/message/message.ts";
import type { RunEntry, RunHistory } from "../model/workflow/run.ts";

/** What a log shows of the JSON of an entry. */
const STEP_FIELDS = new Set([
  "stepId",
  "targetStep",
  "stepName",
  "stepType",
  "concurrent",
  "out",
  "sleepFor",
  "sleepUntil",
  "waitEventId",
  "waitTimeout",
  "deadlineAt",
  "invoked",
] as const);
type StepField = typeof STEP_FIELDS extends ReadonlySet<infer Name> ? Name : never;

/** One step, with the entries in which it was planned, opened and closed. */
export interface StepHistory {
  readonly stepId: number;
  /** The fields of all its entries, the later ones last. */
  readonly fields: Readonly<Partial<Record<StepField, unknown>>>;
  readonly first: RunEntry;
  readonly plan?: RunEntry | undefined;
  /** The call, the wait or the invocation that it waits for. */
  readonly open?: RunEntry | undefined;
  /** The answer to its call, on its way to the endpoint. */
  readonly answer?: RunEntry | undefined;
  readonly result?: RunEntry | undefined;
}

/** One step, or steps that run in parallel. */
export interface StepHistories {
  readonly type: "sequential" | "parallel";
  readonly steps: readonly StepHistory[];
}

type Fields = StepHistory["fields"];
type Part = "plan" | "open" | "answer" | "result";

interface Draft extends StepHistories {
  readonly size: number;
  readonly steps: StepHistory[];
}

/** Groups the entries of a run by step. The payload is not a step. */
export function stepHistories({ entries, messages }: RunHistory): StepHistories[] {
  const sent = new Map(messages.map(({ message }) => [message.messageId, message]));
  const drafts: Draft[] = [];
  const slots = new Map<number, StepSlot>();
  for (const entry of entries) {
    if (entry.kind === "payload") continue;
    const fields = fieldsOf(entry);
    const stepId = stepIdOf(entry, fields, sent.get(entry.messageId));
    if (stepId === undefined) continue;
    const slot = slots.get(stepId);
    const part = partOf(entry);
    if (slot !== undefined) grow(slot, part, entry, fields);
    else if (part !== "answer") slots.set(stepId, add(drafts, stepId, part, entry, fields));
  }
  return drafts.map(({ type, steps }) => ({
    type,
    steps: steps.toSorted((one, other) => one.stepId - other.stepId),
  }));
}

interface StepSlot {
  readonly steps: StepHistory[];
  readonly index: number;
}

function grow({ steps, index }: StepSlot, part: Part, entry: RunEntry, fields: Fields): void {
  const known = steps[index]!;
  steps[index] = { ...known, [part]: entry, fields: { ...known.fields, ...fields } };
}

function add(
  drafts: Draft[],
  stepId: number,
  part: Part,
  entry: RunEntry,
  fields: Fields,
): StepSlot {
  const step = { stepId, fields, first: entry, [part]: entry };
  const size = typeof fields["concurrent"] === "number" ? fields["concurrent"] : 1;
  const last = drafts.at(-1);
  if (size > 1 && last?.type === "parallel" && last.steps.length < last.size) {
    return { steps: last.steps, index: last.steps.push(step) - 1 };
  }
  const steps: StepHistory[] = [step];
  drafts.push({ type: size > 1 ? "parallel" : "sequential", size, steps });
  return { steps, index: 0 };
}

function partOf({ kind }: RunEntry): Part {
  if (kind === "plan" || kind === "result") return kind;
  return kind === "call-result" ? "answer" : "open";
}

/** A plan is for another step; the answer of a third party names its step in its headers. */
function stepIdOf(
  { kind }: RunEntry,
  fields: Fields,
  message: Message | undefined,
): number | undefined {
  if (kind === "call-result") {
    const text = message?.headers.find(([name]) => STEP_ID_NAME.test(name))?.[1];
    return text === undefined ? undefined : Number(text);
  }
  const given = kind === "plan" ? fields["targetStep"] : fields["stepId"];
  return typeof given === "number" ? given : undefined;
}

/** The rest of a record can be long, and is not parsed each time that a log is read. */
function fieldsOf({ body }: RunEntry): Fields {
  return wantedMembers(body, STEP_FIELDS);
}

const STEP_ID_NAME = /^(?:svc|upstash)-workflow-stepid$/i;
