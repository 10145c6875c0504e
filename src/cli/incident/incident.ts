/** A message or run with everything about it, as one file that a person can read. */
import type { Callback, LogEntry, Message } from "../../../sdk/src/answers/message.ts";
import type { Run } from "../../../sdk/src/answers/workflow.ts";
import { CommandError } from "../command-error.ts";
import { readGiven } from "../given-file.ts";

interface IncidentFacts {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly exportedAt: string;
  readonly server: string;
  /** What its publisher hides from readers, and is not in the file: `message.body`. */
  readonly redacted: readonly string[];
}

export interface MessageIncident extends IncidentFacts {
  readonly kind: "message";
  readonly message: Message;
  readonly log: readonly LogEntry[];
  readonly callbacks: readonly Callback[];
}

export interface RunIncident extends IncidentFacts {
  readonly kind: "run";
  readonly run: Run;
  /** The log of the message that failed it, or of its last one. */
  readonly log: readonly LogEntry[];
}

export type Incident = MessageIncident | RunIncident;

/** The file of what a server has answered. Hidden values are left out, and named. */
export function incidentOf(server: string, exportedAt: string, content: object): object {
  const redacted: string[] = [];
  const shown = withoutHidden(content, "", redacted) as object;
  return { format: FORMAT, version: VERSION, exportedAt, server, redacted, ...shown };
}

export function readIncident(file: string): Incident {
  const text = readGiven(file).toString();
  let value: Partial<Incident> | null;
  try {
    value = JSON.parse(text) as Partial<Incident> | null;
  } catch {
    throw new CommandError(`${file} is not JSON`, 1, "postrider export writes such files");
  }
  const isIncident = value?.format === FORMAT && ["message", "run"].includes(value.kind ?? "");
  if (!isIncident) {
    throw new CommandError(`${file} is no incident file`, 1, "postrider export writes such files");
  }
  if (value?.version === VERSION) return value as Incident;
  throw new CommandError(`${file} is of another version; this reads version ${VERSION}`);
}

/** Whether a value was left out of the file. */
export function isHidden({ redacted }: Incident, path: string): boolean {
  return redacted.some((own) => own === path || own.startsWith(`${path}.`));
}

/** The server shows a hidden value as a marker. The URL of a webhook continues its run. */
function withoutHidden(value: unknown, path: string, redacted: string[]): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const kept = withoutHidden(item, `${path}[${index}]`, redacted);
      return kept === undefined ? [] : [kept];
    });
  }
  if (typeof value === "string" && MARKER.test(value)) return hidden(path, redacted);
  if (typeof value !== "object" || value === null) return value;
  const { stepType } = value as { stepType?: unknown };
  const members = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const own = path === "" ? name : `${path}.${name}`;
    const isSecret = SECRETS.some(([type, secret]) => stepType === type && name === secret);
    const kept = isSecret ? hidden(own, redacted) : withoutHidden(member, own, redacted);
    return kept === undefined ? [] : [[name, kept]];
  });
  return Object.fromEntries(members) as object;
}

function hidden(path: string, redacted: string[]): undefined {
  redacted.push(path.replace(/\[\d+\]$/, ""));
  return undefined;
}

const FORMAT = "postrider-incident";
const VERSION = 1;
const MARKER = /^REDACTED:[0-9a-f]{64}$/;
const SECRETS = [
  ["CreateWebhook", "out"],
  ["WaitForWebhook", "waitEventId"],
] as const;
