/** The ways in and out: a proxy before the server, and a destination. */
import { lookup } from "node:dns/promises";
import type { Settings } from "../../config/settings.ts";
import type { Outcome } from "../../core/model/message/attempt.ts";
import { parseAddress } from "../../core/policy/egress/address.ts";
import { type EgressPolicy, refusal } from "../../core/policy/egress/egress.ts";
import { readDestination } from "../../core/policy/egress/read-destination.ts";
import { policyOf } from "../../delivery/guard/own-addresses.ts";
import { noAnswerFrom } from "../../delivery/http/network-error.ts";
import { systemClock } from "../../platform/clock.ts";
import { createIds } from "../../platform/ids.ts";
import { createCourier } from "../../service.ts";
import { connectionOf } from "../connection.ts";
import type { Finding } from "./finding.ts";
import { Flags } from "../flags.ts";
import { durationText } from "../terminal/time-text.ts";

/** Through the address that clients use: is it reached, are slashes kept, are large bodies passed on. */
export async function* checkProxy(publicUrl: string): AsyncGenerator<Finding> {
  const health = await ask(`${publicUrl}/healthz`, {});
  if (!("status" in health) || health.status !== 200) {
    yield {
      check: "proxy",
      state: "problem",
      says: `${publicUrl}/healthz: ${outcome(health)}`,
      advice: "is the server running, and does the proxy send requests to it?",
    };
    return;
  }
  yield { check: "proxy", state: "ok", says: `${publicUrl} reaches a server` };
  yield await bodies(publicUrl);
  const token = await tokenOf(publicUrl);
  if (token !== undefined) yield await slashes(publicUrl, token);
}

/** A server that gets the body asks for a token. */
async function bodies(publicUrl: string): Promise<Finding> {
  const body = "x".repeat(BODY_BYTES);
  const answer = await ask(`${publicUrl}/v2/publish/https%3A%2F%2Fdoctor.invalid`, {
    method: "POST",
    body,
  });
  if ("status" in answer && answer.status === 401) {
    return { check: "proxy", state: "ok", says: "it passes on bodies of 2 MB" };
  }
  return {
    check: "proxy",
    state: "warning",
    says: `it does not pass on a body of 2 MB: ${outcome(answer)}`,
    advice: "raise its limit to that of your plan; for nginx, client_max_body_size 10m",
  };
}

/** No port has that number, so every server refuses the destination and nothing is stored. */
async function slashes(publicUrl: string, token: string): Promise<Finding> {
  const answer = await ask(`${publicUrl}/v2/publish/http://doctor.invalid:99999/`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
  });
  if (!("status" in answer) || answer.status !== 400) {
    return {
      check: "proxy",
      state: "warning",
      says: `whether it keeps the slashes of a destination is not known: ${outcome(answer)}`,
      advice: "set POSTRIDER_TOKEN to a token of this server that may publish",
    };
  }
  if (!answer.text.includes("merged")) {
    return { check: "proxy", state: "ok", says: "it keeps the slashes of a destination" };
  }
  return {
    check: "proxy",
    state: "warning",
    says: "it merges the slashes of a destination in the path",
    advice: "for nginx, merge_slashes off; else clients must send destinations percent-encoded",
  };
}

async function tokenOf(publicUrl: string): Promise<string | undefined> {
  return connectionOf(new Flags({ server: publicUrl })).then(
    ({ token }) => token,
    () => undefined,
  );
}

function outcome(answer: Asked): string {
  return "status" in answer ? `status ${answer.status}` : answer.error;
}

/** What a delivery finds, by the way that deliveries take: its policy, its name, TLS and an answer. The request is a GET. */
export async function* checkDestination(url: string, settings: Settings): AsyncGenerator<Finding> {
  const policy = policyOf(settings);
  const read = readDestination(url, policy);
  if (read.problem !== null) {
    const advice = read.refused ? "open it with --egress-allow, if it is yours" : "correct the URL";
    yield { check: "destination", state: "problem", says: read.problem, advice };
    return;
  }
  const { egressProxy } = settings;
  if (egressProxy === undefined) {
    const named = await checkName(new URL(url), policy);
    yield named;
    if (named.state === "problem") return;
  }
  const startedAt = systemClock.monotonic();
  const answer = await deliver(url, settings, policy);
  const took = durationText(systemClock.monotonic() - startedAt);
  if (answer.kind === "no-answer") {
    const { error: says } = answer;
    yield { check: "destination", state: "problem", says, advice: adviceFor(says) };
    return;
  }
  const way = egressProxy === undefined ? "" : " through the egress proxy";
  const says = `${url} answers ${answer.status} to a GET${way} after ${took}`;
  yield answer.status >= 300 && answer.status < 400
    ? {
        check: "destination",
        state: "warning",
        says,
        advice: "redirects are not followed; name the final URL",
      }
    : { check: "destination", state: "ok", says };
  yield* clockOf(answer.headers.find(([name]) => name.toLowerCase() === "date")?.[1]);
}

/** With the proxy, the authorities and the guard of the settings. No key of an account signs it. */
async function deliver(url: string, settings: Settings, policy: EgressPolicy): Promise<Outcome> {
  const ids = createIds();
  const courier = createCourier(settings, policy, { machineClock: systemClock, ids });
  const now = systemClock.wall();
  const message = {
    accountId: "",
    messageId: "doctor",
    kind: "publish",
    method: "GET",
    url,
    headers: [],
    callerIp: "",
    createdAt: now,
    notBefore: now,
    dialect: settings.dialect,
    settings: { timeoutMs: PATIENCE_MS, retries: 0 },
  } as const;
  const signingKey = ids.secret(KEY_CHARACTERS);
  try {
    return await courier.send({ message, body: new Uint8Array(0), retried: 0, signingKey }).outcome;
  } finally {
    await courier.close();
  }
}

async function checkName(
  { hostname, port, protocol }: URL,
  policy: EgressPolicy,
): Promise<Finding> {
  const name = hostname.replace(/^\[|\]$/g, "");
  let addresses: string[];
  try {
    addresses = (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const advice = "correct the name, or the name servers of this machine";
    return { check: "name", state: "problem", says: `${name} has no address (${code})`, advice };
  }
  const number = Number(port || (protocol === "https:" ? 443 : 80));
  const refused = addresses.find(
    (address) => refusal(policy, name, parseAddress(address)!, number) !== null,
  );
  if (refused === undefined) {
    return { check: "name", state: "ok", says: `${name} is ${addresses.join(", ")}` };
  }
  return {
    check: "name",
    state: "problem",
    says: `${name} is ${refused}, where deliveries may not go`,
    advice: `if it is yours, --egress-allow ${name}`,
  };
}

function* clockOf(date: string | undefined): Generator<Finding> {
  const stepMs = date === undefined ? 0 : Math.abs(Date.parse(date) - systemClock.wall());
  if (!(stepMs > CLOCK_STEP_MS)) return;
  yield {
    check: "clock",
    state: "warning",
    says: `the clock of the destination differs by ${durationText(stepMs)}`,
    advice: "signatures are valid for a short time: keep both clocks set with NTP",
  };
}

type Asked = { readonly status: number; readonly text: string } | { readonly error: string };

async function ask(url: string, request: RequestInit): Promise<Asked> {
  try {
    const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = (await answer.text()).slice(0, TEXT_MAX);
    return { status: answer.status, text };
  } catch (error) {
    const { cause = error, name } = error as Error;
    if (name === "TimeoutError") return { error: `no answer within ${PATIENCE_MS / 1_000} s` };
    return { error: noAnswerFrom(cause).error };
  }
}

function adviceFor(error: string): string {
  if (error.startsWith("egress proxy")) return "does the proxy run, and may it connect there?";
  if (error === "connection refused") return "is the program running, on that port?";
  if (error.startsWith("TLS"))
    return "renew the certificate, or trust its authority with --egress-ca";
  return "check the name, the port and the firewall";
}

const BODY_BYTES = 2_000_000;
const TEXT_MAX = 10_000;
const PATIENCE_MS = 10_000;
const KEY_CHARACTERS = 32;
const CLOCK_STEP_MS = 30_000;
