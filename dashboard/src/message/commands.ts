/** What a screen does, as a command to paste. */
export interface Publish {
  readonly url: string;
  readonly method: string;
  /** The sender's own headers, as they are given to the API. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export function publishCurl(
  origin: string,
  token: string,
  { url, headers, body }: Publish,
): string {
  return curlOf(`${origin}/v2/publish/${url}`, token, headers, body);
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

export function publishTypeScript({ url, method, headers, body }: Publish): string {
  const isJson = headers.some(
    ([name, value]) => /^content-type$/i.test(name) && /\bjson\b/.test(value),
  );
  const own = headers.filter(
    ([name]) => !/^(content-type|svc-)/i.test(name) || /^svc-forward-/i.test(name),
  );
  const lines = [
    'import { Client } from "@postrider/sdk";',
    "",
    `await new Client().${isJson && isValidJson(body) ? "publishJSON" : "publish"}({`,
    `  url: ${JSON.stringify(url)},`,
    ...(method === "POST" ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(own.length === 0 ? [] : [`  headers: ${JSON.stringify(Object.fromEntries(own))},`]),
    ...(body === ""
      ? []
      : [`  body: ${isJson && isValidJson(body) ? body : JSON.stringify(body)},`]),
    "});",
  ];
  return lines.join("\n");
}

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
