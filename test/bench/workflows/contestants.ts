import { besides, Child } from "../child.ts";
import { BENCH_TOKEN, type Subject } from "../subjects.ts";
import type { LoadPlan } from "./load.ts";
import { restateSdkUrl, startRestate } from "./restate-server.ts";
import type { EndpointPorts } from "./step-clock.ts";

/** A service with an endpoint of five steps beside it, each in a process of its own. */
export interface Contestant {
  readonly name: string;
  readonly servicePid: number;
  readonly endpoint: Child;
  readonly start: Pick<LoadPlan, "port" | "head" | "runIdHeader" | "newsPort">;
  stop(): Promise<void>;
}

interface EndpointKind {
  readonly name: string;
  readonly file: string;
  readonly runIdHeader: string;
  /** Of the variables that its SDK reads. */
  readonly prefix: string;
}

export const ENDPOINTS = {
  postrider: {
    name: "@postrider/sdk",
    file: "endpoint-postrider.ts",
    runIdHeader: "Svc-Workflow-RunId",
    prefix: "POSTRIDER",
  },
  upstash: {
    name: "@upstash/workflow",
    file: "endpoint-upstash.ts",
    runIdHeader: "Upstash-Workflow-RunId",
    prefix: "QSTASH",
  },
} as const satisfies Readonly<Record<string, EndpointKind>>;

/** The service with one of the endpoints; runs are started by `POST /v2/trigger`. */
export async function withSdk(service: Subject, kind: EndpointKind): Promise<Contestant> {
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const authorization = `Bearer ${BENCH_TOKEN}`;
  const keys = await fetch(`${baseUrl}/v2/keys`, { headers: { authorization } });
  const { current, next } = (await keys.json()) as { current: string; next: string };
  const { prefix, runIdHeader } = kind;
  const endpoint = new Child(besides(`workflows/${kind.file}`), [], {
    [`${prefix}_URL`]: baseUrl,
    [`${prefix}_TOKEN`]: BENCH_TOKEN,
    [`${prefix}_CURRENT_SIGNING_KEY`]: current,
    [`${prefix}_NEXT_SIGNING_KEY`]: next,
  });
  const { port, newsPort } = JSON.parse(await endpoint.line()) as EndpointPorts;
  const head = [
    `POST /v2/trigger/http://127.0.0.1:${port}/flow HTTP/1.1`,
    `Host: 127.0.0.1:${service.port}`,
    `Authorization: ${authorization}`,
    "Content-Type: application/json",
  ];
  return {
    name: `${service.name}, ${kind.name}`,
    servicePid: service.pid,
    endpoint,
    start: { port: service.port, head, runIdHeader, newsPort },
    stop: async () => {
      await endpoint.stop();
      await service.stop();
    },
  };
}

/** Restate with its own SDK; a call of its ingress is answered when the run has ended. */
export async function withRestate(): Promise<Contestant> {
  const server = await startRestate();
  const endpoint = new Child(besides("workflows/endpoint-restate.ts"), [restateSdkUrl()], {
    // It would print a line for every run.
    RESTATE_LOGGING: "ERROR",
  });
  const { port } = JSON.parse(await endpoint.line()) as EndpointPorts;
  await server.register(port);
  const head = [
    "POST /flow/run HTTP/1.1",
    `Host: 127.0.0.1:${server.ingressPort}`,
    "Content-Type: application/json",
  ];
  return {
    name: "Restate, its own SDK",
    servicePid: server.pid,
    endpoint,
    start: { port: server.ingressPort, head, runIdHeader: "X-Run-Id", newsPort: null },
    stop: async () => {
      await endpoint.stop();
      await server.stop();
    },
  };
}
