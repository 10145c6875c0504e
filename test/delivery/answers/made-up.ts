/** Made-up answers: mostly good ones, then spoiled in the ways that matter for framing. */

export type Draw = (below: number) => number;

export interface MadeUp {
  readonly method: string;
  readonly text: string;
  readonly pieces: readonly Buffer[];
  /** Whether the connection is closed after the last piece. */
  readonly closes: boolean;
}

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function madeUpAnswer(draw: Draw): MadeUp {
  let text = "";
  while (draw(12) === 0) text += `HTTP/1.1 ${pick(draw, ["100", "102", "103"])} Soon\r\n\r\n`;
  text += answer(draw);
  for (let spoils = draw(4) === 0 ? 1 + draw(2) : 0; spoils > 0; spoils--) text = spoil(draw, text);
  const bytes = Buffer.from(text, "latin1");
  return {
    method: draw(16) === 0 ? "HEAD" : "POST",
    text,
    pieces: cut(draw, bytes),
    closes: draw(3) === 0,
  };
}

function answer(draw: Draw): string {
  const body = bodyText(draw);
  const lines = [statusLine(draw)];
  for (let count = draw(4); count > 0; count--) lines.push(header(draw));
  const framing = draw(10);
  let payload = body;
  if (framing < 4) lines.push(`${name(draw, "Content-Length")}: ${body.length}`);
  else if (framing < 8) {
    lines.push(`${name(draw, "Transfer-Encoding")}: ${pick(draw, CODINGS)}`);
    payload = chunked(draw, body);
  } else if (framing === 8) {
    lines.push(...pickSome(draw, CLASHES));
    payload = draw(2) === 0 ? chunked(draw, body) : body;
  }
  if (draw(4) === 0) lines.push(`${name(draw, "Connection")}: ${pick(draw, CONNECTIONS)}`);
  for (let count = draw(3); count > 0; count--) lines.push(header(draw));
  return `${lines.join("\r\n")}\r\n\r\n${payload}`;
}

function statusLine(draw: Draw): string {
  const version = draw(20) === 0 ? pick(draw, VERSIONS) : draw(6) === 0 ? "1.0" : "1.1";
  const status = draw(20) === 0 ? pick(draw, ODD_STATUSES) : pick(draw, STATUSES);
  return `HTTP/${version} ${status}${pick(draw, REASONS)}`;
}

function header(draw: Draw): string {
  const value = draw(12) === 0 ? pick(draw, ODD_VALUES) : pick(draw, VALUES);
  return `${draw(30) === 0 ? pick(draw, ODD_NAMES) : pick(draw, NAMES)}:${value}`;
}

function name(draw: Draw, text: string): string {
  return pick(draw, [text, text.toLowerCase(), text.toUpperCase()]);
}

function bodyText(draw: Draw): string {
  const words = ["", "x", "hello", "\r\n", "0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "\xff\0"];
  let text = "";
  for (let count = draw(4); count > 0; count--) text += pick(draw, words);
  return text;
}

function chunked(draw: Draw, body: string): string {
  let text = "";
  for (let offset = 0; offset < body.length;) {
    const length = 1 + draw(body.length - offset);
    const digits = length.toString(16);
    const size = pick(draw, [digits, digits, digits.toUpperCase(), `00${digits}`]);
    const extension = draw(8) === 0 ? pick(draw, EXTENSIONS) : "";
    text += `${size}${extension}\r\n${body.slice(offset, offset + length)}\r\n`;
    offset += length;
  }
  return `${text}${pick(draw, ["0", "0", "000"])}\r\n${draw(6) === 0 ? pick(draw, TRAILERS) : ""}\r\n`;
}

function spoil(draw: Draw, text: string): string {
  const at = draw(text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (draw(6)) {
    case 0:
      return before + pick(draw, INSERTED) + after;
    case 1:
      return before + after.slice(1 + draw(3));
    case 2:
      return before + String.fromCharCode(draw(256)) + after.slice(1);
    case 3:
      return before;
    case 4:
      return text.replace(pick(draw, ["\r\n", "\r", "\n", ":", " "]), pick(draw, INSERTED));
    default:
      return text + pick(draw, INSERTED);
  }
}

function cut(draw: Draw, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const widest = pick(draw, [1, 5, 40, 1000, 1000]);
  for (let offset = 0; offset < bytes.length;) {
    const end = offset + 1 + draw(widest);
    pieces.push(bytes.subarray(offset, end));
    offset = end;
  }
  return pieces;
}

function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  return items[draw(items.length)]!;
}

function pickSome<Item>(draw: Draw, items: readonly Item[]): Item[] {
  return items.filter(() => draw(3) === 0);
}

const VERSIONS = ["0.9", "2.0", "1.2", "11", "1.1.1", "1"];
const STATUSES = ["200", "200", "201", "204", "304", "404", "429", "500", "503"];
const ODD_STATUSES = ["099", "000", "101", "600", "999", "20", "2000", "-20", "2x0"];
const REASONS = [" OK", " OK", " ", "", " Not \xe4 word", " a  b\t"];
const NAMES = ["X-One", "Server", "Keep-Alive", "Date", "x_y", "!#$%&'*+-.^_`|~", "Retry-After"];
const ODD_NAMES = ["", "X One", " X", "X\t", "X\x7f", "\xe9", "(x)", "X\0", '"x"'];
const VALUES = [" 1", "1", " ", "", " a b ", "\ttab\t", " \xe9\xff", " timeout=5", " close"];
const ODD_VALUES = [
  " a\0b",
  " a\x7fb",
  " a\x1bb",
  " a\rb",
  " a\nb",
  " a\r\n b",
  " a\r\n\tb",
  "\x0b",
];
const CODINGS = [
  "chunked",
  "chunked",
  "chunked",
  "Chunked",
  "gzip, chunked",
  "gzip",
  "chunked, gzip",
];
const CLASHES = [
  "Content-Length: 5",
  "Content-Length: 5",
  "Content-Length: 0",
  "Content-Length: +5",
  "Content-Length: -1",
  "Content-Length: 5, 5",
  "Content-Length: 0x5",
  "Content-Length: 5 5",
  "Content-Length:",
  "Content-Length: 99999999999999999999",
  "Content-Length : 5",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunked,",
  "Transfer-Encoding:",
];
const CONNECTIONS = ["close", "keep-alive", "Close", "Keep-Alive", "x, close", "upgrade", "closed"];
const EXTENSIONS = [";a=b", ";a", ';a="b c"', " ", ";", " ;a=b", "\t"];
const TRAILERS = ["X-Trailer: 1\r\n", "a:b\r\nc:d\r\n", "no colon\r\n", " folded\r\n"];
const INSERTED = ["\r", "\n", "\r\n", "\0", " ", "\t", ":", "0", "\r\n\r\n", "\n\n", "\x80", "a"];
