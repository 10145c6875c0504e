/** What a screen does, as a command to paste. */
export interface Publish {
  readonly url: string;
  /** The queue that it goes through. */
  readonly queue?: string | undefined;
  readonly method: string;
  /** The sender's own headers, as they are given to the API. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** A body that is no text, in its place. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
}

export function publishPath({ url, queue }: Pick<Publish, "url" | "queue">): string {
  return queue === undefined
    ? `/v2/publish/${url}`
    : `/v2/enqueue/${encodeURIComponent(queue)}/${url}`;
}

export function publishCurl(origin: string, token: string, sent: Publish): string {
  const { headers, body, bytes } = sent;
  const url = `${origin}${publishPath(sent)}`;
  if (bytes === undefined) return curlOf(url, token, headers, body);
  const piped = curlOf(url, token, headers, "");
  return `echo ${base64Of(bytes)} | base64 -d | ${piped} \\\n  --data-binary @-`;
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** A POST as a command. A token that begins with a dollar is a variable of the shell. */
export function curlOf(
  url: string,
  token: string,
  headers: Publish["headers"],
  body: string,
): string {
  const lines = [
    `curl -X POST ${quoted(url)}`,
    `  -H ${token.startsWith("$") ? `"Authorization: Bearer ${token}"` : quoted(`Authorization: Bearer ${token}`)}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(body === "" ? [] : [`  -d ${quoted(body)}`]),
  ];
  return lines.join(" \\\n");
}

/** The same message by the SDK. */
export function publishTypeScript({ url, queue, method, headers, body, bytes }: Publish): string {
  const isJson =
    bytes === undefined &&
    isValidJson(body) &&
    headers.some(([name, value]) => /^content-type$/i.test(name) && /\bjson\b/.test(value));
  const settings = optionsOf(headers);
  const forwarded = headers.flatMap(([name, value]): [string, string][] => {
    if (FORWARDED.test(name)) return [[name.replace(FORWARDED, ""), value]];
    return /^content-type$/i.test(name) && !isJson ? [[name, value]] : [];
  });
  const options = [
    `url: ${JSON.stringify(url)}`,
    ...(method === "POST" ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(forwarded.length === 0
      ? []
      : [`headers: ${JSON.stringify(Object.fromEntries(forwarded))}`]),
    ...settings,
    ...(bytes === undefined ? [] : [`body: Buffer.from("${base64Of(bytes)}", "base64")`]),
    ...(bytes !== undefined || body === ""
      ? []
      : [`body: ${isJson ? body : JSON.stringify(body)}`]),
  ];
  const call = queue === undefined ? "" : `.queue(${JSON.stringify(queue)})`;
  const verb = `${queue === undefined ? "publish" : "enqueue"}${isJson ? "JSON" : ""}`;
  return [
    'import { Client } from "@postrider/sdk";',
    "",
    `await new Client()${call}.${verb}({`,
    ...options.map((option) => `  ${option},`),
    "});",
  ].join("\n");
}

/** The settings that the headers of a publish stand for, as options of the SDK. */
function optionsOf(headers: Publish["headers"]): string[] {
  const found = new Map(
    headers.map(([name, value]) => [name.toLowerCase().replace(/^(svc|upstash)-/, ""), value]),
  );
  const key = found.get("flow-control-key");
  const given = OPTIONS.flatMap(([header, option, isNumber]) => {
    const value = found.get(header);
    if (value === undefined) return [];
    return [`${option}: ${isNumber ? Number(value) : JSON.stringify(value)}`];
  });
  if (key === undefined) return given;
  const limits = (found.get("flow-control-value") ?? "")
    .split(",")
    .map((part) => part.trim().split("="))
    .filter(([name = "", value = ""]) => name !== "" && value !== "")
    .map(([name, value]) => `${name}: ${/^\d+$/.test(value!) ? value : JSON.stringify(value)}`);
  return [...given, `flowControl: { ${[`key: ${JSON.stringify(key)}`, ...limits].join(", ")} }`];
}

const FORWARDED = /^(svc|upstash)-forward-/i;
/** Headers, without their prefix, and the options that they are. */
const OPTIONS: readonly (readonly [header: string, option: string, isNumber?: boolean])[] = [
  ["delay", "delay"],
  ["not-before", "notBefore", true],
  ["retries", "retries", true],
  ["retry-delay", "retryDelay"],
  ["timeout", "timeout"],
  ["label", "label"],
  ["callback", "callback"],
  ["failure-callback", "failureCallback"],
  ["deduplication-id", "deduplicationId"],
];

/** For a shell: everything between single quotes is taken as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function isValidJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
