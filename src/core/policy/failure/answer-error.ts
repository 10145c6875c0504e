/** What an endpoint answered about its failure. */
export interface AnswerError {
  /** The name of the error, such as `TypeError`. */
  readonly name?: string | undefined;
  readonly message: string;
}

/**
 * The error in the JSON of an answer, in the shapes that are common: `message` beside the name in
 * `error` or `name`, both within an object `error`, or a text in `error`, `detail` or `title`. Null
 * when there is none. Only the beginning of the answer is read.
 */
export function answerError(body: Uint8Array): AnswerError | null {
  const text = DECODER.decode(body.subarray(0, READ_BYTES_MAX)).trimStart();
  if (!text.startsWith("{")) return null;
  const members = body.byteLength > READ_BYTES_MAX ? beginningOf(text) : parsed(text);
  const { error } = members;
  if (isObject(error)) return errorIn(error);
  return errorIn(members);
}

function errorIn(members: Members): AnswerError | null {
  const { error, message, name, detail, title } = members;
  const found = textOf(message);
  if (found !== undefined) return { name: textOf(error) ?? textOf(name), message: found };
  const other = textOf(error) ?? textOf(detail) ?? textOf(title);
  return other === undefined ? null : { message: other };
}

type Members = Readonly<Record<string, unknown>>;

function parsed(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The first texts of a JSON that is too long to be parsed; a long stack often comes last. */
function beginningOf(text: string): Members {
  const found: Record<string, unknown> = {};
  for (const [, name, value] of text.matchAll(TEXT_MEMBER))
    found[name!] ??= parsed(`{"v":${value!}}`)["v"];
  return found;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

const DECODER = new TextDecoder();
const READ_BYTES_MAX = 16 * 1024;
const TEXT_MEMBER = /"(error|message|name|detail|title)"\s*:\s*("(?:[^"\\]|\\.){0,2000}")/g;
