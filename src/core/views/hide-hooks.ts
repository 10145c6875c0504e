/**
 * Hides what lets a run continue: the event ids of webhooks, alone and in their URLs, also inside of
 * base64, in which logs show bodies. The text keeps its length, so that pieces can be joined. The end
 * of a text that is not whole is checked again together with what follows.
 */
export function hideHooks(text: string, isWhole = true, depth = DEPTH_MAX): string {
  const plain = hidePlain(text);
  if (depth === 0) return plain;
  let shown = "";
  let end = 0;
  for (const [from, to] of base64Runs(plain)) {
    const run = plain.slice(from, to);
    const hidden = hideEncoded(run, from === 0, isWhole || to < plain.length, depth - 1);
    if (hidden === run) continue;
    shown += plain.slice(end, from) + hidden;
    end = to;
  }
  return end === 0 ? plain : shown + plain.slice(end);
}

/** The end is found by hand: a pattern would need memory for each character of a long run. */
function* base64Runs(text: string): Generator<[from: number, to: number]> {
  const begin = new RegExp(RUN_BEGIN, "g");
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    let end = begin.lastIndex;
    while (end < text.length && isBase64(text.charCodeAt(end))) end++;
    begin.lastIndex = end;
    yield [found.index, end];
  }
}

/** A digit, a letter, + or /. */
function isBase64(code: number): boolean {
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isLetter || (code >= 47 && code <= 57) || code === 43;
}

function hidePlain(text: string): string {
  const secrets = new Set<string>();
  const withoutUrls = !HOOKS.test(text)
    ? text
    : text.replace(HOOK_URL, (_url, address: string, eventId: string) => {
        if (eventId.length >= SECRET_CHARACTERS_MIN) secrets.add(eventId);
        return address + starsFor(eventId);
      });
  const withoutIds = withoutUrls.includes(EVENT_PREFIX)
    ? withoutUrls.replace(EVENT_ID, starsFor)
    : withoutUrls;
  if (secrets.size === 0) return withoutIds;
  // An event id that no SDK has drawn may stand beside its URL, too.
  return withoutIds.replace(new RegExp([...secrets].map(escapePattern).join("|"), "g"), starsFor);
}

/** At its very beginning the text may continue a run whose first characters came before. */
function hideEncoded(given: string, isFirst: boolean, isWhole: boolean, depth: number): string {
  let run = given;
  for (let skipped = 0; skipped < (isFirst ? BASE64_GROUP : 1); skipped++) {
    // The last characters of a run that continues hold bits of a byte that is not complete.
    const length = run.length - skipped;
    const end = isWhole ? run.length : run.length - (length % BASE64_GROUP);
    const decoded = Buffer.from(run.slice(skipped, end), "base64").toString("latin1");
    const hidden = hideHooks(decoded, isWhole, depth);
    if (hidden === decoded) continue;
    const encoded = Buffer.from(hidden, "latin1").toString("base64");
    run =
      run.slice(0, skipped) +
      encoded.slice(0, end - skipped).padEnd(end - skipped, "A") +
      run.slice(end);
  }
  return run;
}

function starsFor(text: string): string {
  return "*".repeat(text.length);
}

function escapePattern(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, String.raw`\$&`);
}

/** A slash, as JSON or a query may write it. */
const SLASH = String.raw`(?:\\{0,8}/|%2F)`;
const PART = String.raw`[^\s"'<>\\/]{1,256}?`;
const HOOKS = new RegExp(`workflows${SLASH}hooks`, "i");
const HOOK_URL = new RegExp(
  String.raw`(workflows${SLASH}hooks${SLASH}${PART}${SLASH}${PART}${SLASH})([^\s"'<>\\&]{1,1024})`,
  "gi",
);
/** As the SDKs draw it. */
const EVENT_PREFIX = "evt_";
const EVENT_ID = /(?<=evt_)[A-Za-z0-9_-]{15}/g;
const SECRET_CHARACTERS_MIN = 4;
/** The shortest that can hold an event id. */
const RUN_BEGIN = /[A-Za-z0-9+/]{24}/;
const BASE64_GROUP = 4;
/** The body in a callback's body in a log entry is encoded twice. */
const DEPTH_MAX = 3;
