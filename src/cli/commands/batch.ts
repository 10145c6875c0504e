import { createReadStream } from "node:fs";
import type { BatchItem } from "../../../sdk/src/client/publish.ts";
import { ApiError, ConnectionError, PostriderError } from "../../../sdk/src/errors.ts";
import { CommandError } from "../command-error.ts";
import { toFileError } from "../given-file.ts";
import { type Handlers, type Invocation, word } from "../invocation.ts";
import { untilInterrupted } from "../terminal/interrupt.ts";
import { counted, plain, remark } from "../terminal/output.ts";

/**
 * Publishes the messages of a file in requests of at most 100, each stored whole. Where it ends early, it
 * says how many are stored, so that `--skip` continues.
 */
export const HANDLERS: Handlers = {
  batch: async (invocation) => {
    const items = itemsOf(word(invocation, 0));
    await untilInterrupted((goOn) => new Sender(invocation, goOn).sendAll(items));
  },
};

class Sender {
  readonly #invocation: Invocation;
  readonly #goOn: () => void;
  /** Messages of the file that are done with, skipped ones too. */
  #passed = 0;
  #stored = 0;
  #refused = 0;
  /** Messages of a request whose answer did not come: the server may have stored them. */
  #unknown = 0;

  constructor(invocation: Invocation, goOn: () => void) {
    this.#invocation = invocation;
    this.#goOn = goOn;
  }

  async sendAll(items: AsyncIterable<unknown>): Promise<void> {
    try {
      await this.#sendEach(items);
    } catch (error) {
      remark(`postrider: ${this.#state()}${this.#advice()}`);
      throw error;
    }
    if (this.#refused > 0) {
      const refused = counted(this.#refused, "message");
      throw new CommandError(`${this.#state()}, ${refused} refused`);
    }
    this.#invocation.output.text(`${this.#state()}\n`);
  }

  async #sendEach(items: AsyncIterable<unknown>): Promise<void> {
    const skipCount = this.#invocation.flags.number("skip") ?? 0;
    let chunk: BatchItem[] = [];
    let bytes = 0;
    let index = 0;
    for await (const given of items) {
      index += 1;
      if (index <= skipCount) {
        this.#passed += 1;
        continue;
      }
      const item = itemOf(given, index);
      const size = item.body?.length ?? 0;
      if (chunk.length === ITEMS_MAX || (chunk.length > 0 && bytes + size > BYTES_MAX)) {
        await this.#send(chunk);
        [chunk, bytes] = [[], 0];
      }
      this.#goOn();
      chunk.push(item);
      bytes += size;
    }
    if (chunk.length > 0) await this.#send(chunk);
  }

  async #send(chunk: readonly BatchItem[]): Promise<void> {
    const { client, output } = this.#invocation;
    let answers;
    try {
      answers = await client.batch(chunk);
    } catch (error) {
      if (!isRefusal(error)) this.#unknown = chunk.length;
      throw error;
    }
    for (const [index, answer] of answers.entries()) {
      if (output.mode === "json") output.json(answer);
      if ("error" in answer) {
        this.#refused += 1;
        remark(`message ${this.#passed + index + 1}: ${plain(answer.error)}`);
        continue;
      }
      this.#stored += 1;
      const published = [answer].flat() as readonly { messageId: string }[];
      output.ids(published.map(({ messageId }) => messageId));
    }
    this.#passed += chunk.length;
    output.progress(this.#state());
  }

  #state(): string {
    return `${counted(this.#stored, "message")} stored`;
  }

  #advice(): string {
    const passed = this.#passed;
    if (this.#unknown > 0) {
      return `; the next ${this.#unknown} may be stored too: --skip ${passed} sends them again, --skip ${passed + this.#unknown} leaves them out`;
    }
    return passed === 0 ? "" : `; --skip ${passed} continues`;
  }
}

/** A request that the client or the server refused has stored nothing. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500;
  return error instanceof PostriderError && !(error instanceof ConnectionError);
}

/** What cannot be read is told of as the other commands do. */
async function* piecesOf(file: string, input: NodeJS.ReadableStream): AsyncGenerator {
  try {
    yield* input;
  } catch (error) {
    throw toFileError(file, error);
  }
}

/** A JSON array is read whole; lines are read one by one. A pipe can be read only once. */
async function* itemsOf(file: string): AsyncGenerator {
  const input = file === "-" ? process.stdin : createReadStream(file);
  input.setEncoding("utf8");
  let rest = "";
  let number = 0;
  let isArray: boolean | undefined;
  for await (const text of piecesOf(file, input)) {
    rest += text as string;
    if (isArray === undefined && rest.trim() !== "") isArray = rest.trimStart().startsWith("[");
    if (isArray !== false) continue;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      number += 1;
      if (line.trim() !== "") yield parse(line, `line ${number}`);
    }
  }
  if (isArray === true) yield* parse(rest, file === "-" ? "standard input" : file) as unknown[];
  else if (rest.trim() !== "") yield parse(rest, `line ${number + 1}`);
}

function parse(text: string, where: string): unknown {
  try {
    // Some editors begin a file with a byte order mark, which counts as a blank.
    return JSON.parse(text.trim());
  } catch (error) {
    throw new CommandError(`${where} cannot be read as JSON: ${(error as Error).message}`);
  }
}

/** A body that is no text is sent as JSON. */
function itemOf(given: unknown, index: number): BatchItem {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new CommandError(`message ${index} must be an object with a url or a urlGroup`);
  }
  const item = given as BatchItem<unknown>;
  if (item.body === undefined || typeof item.body === "string") return item as BatchItem;
  const headers = new Headers(item.headers);
  if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  return { ...item, headers, body: JSON.stringify(item.body) };
}

const ITEMS_MAX = 100;
const BYTES_MAX = 1_000_000;
