import type { Run } from "../../../sdk/src/answers/workflow.ts";
import { SETTINGS } from "../../config/settings.ts";
import { CommandError } from "../command-error.ts";
import type { Flags, LocalHandlers } from "../flags.ts";
import {
  type Incident,
  isHidden,
  type MessageIncident,
  readIncident,
  type RunIncident,
} from "../incident/incident.ts";
import { note, Output, plainText } from "../terminal/output.ts";
import {
  lostStep,
  type ReplayedStep,
  type ReplayPlace,
  replayRun,
} from "../incident/replay-run.ts";
import { ReplayServer } from "../incident/replay-server.ts";
import { headerList, outcomeText, ReplayTarget } from "../incident/replay-target.ts";
import { bodyOf } from "./message-options.ts";

export const HANDLERS: LocalHandlers = {
  replay: async ([file = ""], flags) => {
    const incident = readIncident(file);
    const to = flags.text("to");
    if (to === undefined) throw new CommandError("--to is missing: where is your program?");
    const url = incident.kind === "message" ? incident.message.url : incident.run.workflowUrl;
    const target = new ReplayTarget(to, url);
    const output = new Output(flags);
    try {
      output.text(`to ${plainText(target.url)}, signed with ${target.signedWith}\n`);
      if (incident.kind === "message") await replayMessage(incident, target, flags, output);
      else await replayBesideServer(incident, target, flags, output);
    } finally {
      await target.close();
    }
  },
};

async function replayMessage(
  incident: MessageIncident,
  target: ReplayTarget,
  flags: Flags,
  output: Output,
): Promise<void> {
  const { message } = incident;
  const { messageId, method, callerIp, createdAt, topicName: urlGroup, scheduleId } = message;
  const recorded =
    message.bodyBase64 === undefined
      ? (message.body ?? "")
      : Buffer.from(message.bodyBase64, "base64");
  const body = bodyFor(incident, "message.body", recorded, flags);
  noteHidden(incident, output);
  const headers = headerList(message.header);
  const facts = { messageId, method, headers, callerIp, createdAt, urlGroup, scheduleId };
  const outcome = await target.send({ ...facts, kind: "publish" }, body);
  const answer = outcome.kind === "answer" ? Buffer.from(outcome.body).toString() : "";
  const status = outcome.kind === "answer" ? outcome.status : 0;
  output.one(
    {
      url: target.url,
      status,
      answer,
      error: outcome.kind === "answer" ? undefined : outcome.error,
    },
    () => plainText(`${outcomeText(outcome)}${answer === "" ? "" : `\n${answer}`}`),
  );
  if (status >= 200 && status < 300) return;
  throw new CommandError(`your program did not accept it: ${outcomeText(outcome)}`, 6);
}

/** Listens where the code expects its server, since not every step is in the answer of the code. */
async function replayBesideServer(
  incident: RunIncident,
  target: ReplayTarget,
  flags: Flags,
  output: Output,
): Promise<void> {
  const port = flags.number("listen") ?? Number(SETTINGS.port.defaults.dev);
  const server = await ReplayServer.listen(port);
  if (server === null) note(`port ${port} is taken: ${TAKEN}`);
  else output.text(`what it submits is taken at http://127.0.0.1:${server.port}, and not done\n`);
  try {
    await replaySteps(incident, { target, server }, flags, output);
  } finally {
    server?.close();
    for (const ignored of new Set(server?.ignored)) note(`not done: ${plainText(ignored)}`);
  }
}

async function replaySteps(
  incident: RunIncident,
  place: ReplayPlace,
  flags: Flags,
  output: Output,
): Promise<void> {
  const { run } = incident;
  const recorded = run.steps[0]?.steps[0]?.out ?? "";
  const path = "run.steps[0].steps[0].out";
  const payload = bodyFor(incident, path, recorded, flags);
  noteHidden(incident, output);
  requireResults(incident, run);
  const rows: ReplayedStep[] = [];
  for await (const row of replayRun(run, Buffer.from(payload).toString(), place)) {
    rows.push(row);
    output.text(`${rowText(row)}\n`);
    output.json(row);
  }
  const differing = rows.find(({ verdict }) => verdict === "differs");
  if (differing !== undefined) {
    const { stepId } = differing;
    throw new CommandError(`it differs at ${stepId === 0 ? "the end" : `step ${stepId}`}`, 6);
  }
  const lost = lostStep(run);
  const upTo =
    lost === undefined
      ? ""
      : ` up to ${plainText(lost.stepName ?? "")}, whose result is not in the file`;
  const untold = rows.filter(({ verdict }) => verdict === "untold").length;
  const unseen = untold === 0 ? "" : ` Not compared: ${untold}.`;
  output.text(`Your code takes the recorded steps${upTo}.${unseen}\n`);
  if (untold > 0 && place.server !== null) note(ELSEWHERE(place.server.port));
}

/** A result that is hidden cannot be replayed, and every delivery after it needs it. */
function requireResults(incident: Incident, run: Run): void {
  const steps = run.steps
    .slice(1)
    .flatMap((group, index) =>
      group.steps.map((step, nth) => ({ step, path: `run.steps[${index + 1}].steps[${nth}].out` })),
    );
  const found = steps.find(
    ({ step, path }) => step.stepType !== "CreateWebhook" && isHidden(incident, path),
  );
  if (found === undefined) return;
  throw new CommandError(
    `the result of step ${found.step.stepName} is redacted, so that the run cannot be replayed`,
    1,
    "trigger the workflow on dev, with a payload of your own",
  );
}

function bodyFor(
  incident: Incident,
  path: string,
  recorded: string | Uint8Array,
  flags: Flags,
): Uint8Array {
  const given = bodyOf(flags);
  if (given !== undefined || !isHidden(incident, path)) return Buffer.from(given ?? recorded);
  throw new CommandError(
    "the body is redacted, and not in the file",
    1,
    "give one with --body TEXT, or --body @FILE",
  );
}

function noteHidden({ redacted }: Incident, output: Output): void {
  if (redacted.length > 0) output.text(`without what is redacted: ${redacted.join(", ")}\n`);
}

function rowText({ stepId, recorded, answered, verdict }: ReplayedStep): string {
  const name = stepId === 0 ? "end" : `step ${stepId}`;
  const line =
    verdict === "same" ? `${recorded}: same` : `${recorded}: ${WORDS[verdict]} (${answered})`;
  return plainText(`${name.padEnd(8)} ${line}`);
}

const TAKEN =
  "what your code submits to the server there is not compared. Stop that server, or start your code with another POSTRIDER_URL (or QSTASH_URL) and give its port with --listen";
const ELSEWHERE = (port: number): string =>
  `to compare them too, start your code with POSTRIDER_URL=http://127.0.0.1:${port}, or QSTASH_URL for the public SDK`;
const WORDS = { differs: "differs", untold: "not compared" };
