/** What the screens of runs and dead letters do, as commands to paste. */
import type { Run } from "../../../sdk/src/answers/workflow.ts";
import { quoted } from "../message/commands.ts";
import { copyCommand } from "../message/copy-command.ts";
import { payloadOf } from "./run-log.ts";

export interface Command {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
}

export function curlOf(origin: string, token: string, command: Command): string {
  const { method, path, headers = [], body = "" } = command;
  const authorization = `Authorization: Bearer ${token}`;
  const lines = [
    `curl -X ${method} ${quoted(`${origin}${path}`)}`,
    `  -H ${token.startsWith("$") ? `"${authorization}"` : quoted(authorization)}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(body === "" ? [] : [`  -d ${quoted(body)}`]),
  ];
  return lines.join(" \\\n");
}

export function copyCurl(command: Command): Promise<void> {
  return copyCommand((token) => curlOf(window.location.origin, token, command));
}

/** Starts a run like this one. A hidden payload is left for the reader to fill in. */
export function triggerCommand(run: Run, prefix = "Svc-"): Command {
  const payload = payloadOf(run);
  const type = Object.entries(payload?.headers ?? {}).find(([name]) =>
    /^content-type$/i.test(name),
  );
  const labels = run.labels ?? [];
  const out = payload?.out ?? "";
  return {
    method: "POST",
    path: `/v2/trigger/${run.workflowUrl}`,
    headers: [
      ...(type === undefined ? [] : [["Content-Type", type[1][0] ?? ""] as const]),
      ...(labels.length === 0 ? [] : [[`${prefix}Label`, labels.join(",")] as const]),
    ],
    body: out.startsWith("REDACTED:") ? "" : out,
  };
}
