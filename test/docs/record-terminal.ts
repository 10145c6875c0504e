/**
 * `npm run recording`: plays the first minutes in a folder of its own and draws what the terminal shows, for the guide. The
 * picture is of a real run, so its ids and times are different each time.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../house/sources.ts";
import { SOURCE } from "../support/program.ts";

const STYLES: Readonly<Record<string, string>> = {
  1: ' font-weight="bold" fill="#ffffff"',
  2: ' fill="#7b8794"',
  31: ' fill="#ff7b72"',
  32: ' fill="#7ee787"',
  33: ' fill="#e3b341"',
};
const LINE_HEIGHT = 18;
const PADDING = 16;

/** What is typed; `dev` is running beside. */
const LINES = [
  `postrider publish http://localhost:8080/echo/hello --body '{"hello":"world"}' --wait`,
  `postrider publish 'http://localhost:8080/echo/fail?times=2' --retry-delay 100 --label flaky --wait`,
  "postrider publish http://localhost:3000/api --retries 0 --wait",
  "postrider messages --limit 3",
  "postrider dlq groups",
  "postrider queues set mail --parallelism 5",
  `postrider schedules create http://localhost:8080/echo/report "0 9 * * 1-5" --id report`,
  "postrider status",
];

const folder = mkdtempSync(join(tmpdir(), "postrider-recording-"));
const environment = { PATH: process.env["PATH"], HOME: folder, FORCE_COLOR: "1", TZ: "UTC" };
const server = spawn(process.execPath, [SOURCE, "dev", "--log", "quiet"], {
  cwd: folder,
  env: environment,
  stdio: "ignore",
});
try {
  await untilReady();
  const shown: string[] = [];
  for (const line of LINES)
    shown.push(`\u001b[1m$ ${line}\u001b[22m`, ...(await outputOf(line)), "");
  const path = join(ROOT, "docs/guides/images/terminal.svg");
  writeFileSync(path, drawing(shown));
  console.log(path);
} finally {
  server.kill("SIGTERM");
  await once(server, "close");
  rmSync(folder, { recursive: true, force: true });
}

async function untilReady(): Promise<void> {
  for (;;) {
    const isReady = await fetch("http://127.0.0.1:8080/readyz").then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (server.exitCode !== null) throw new Error("port 8080 must be free for the recording");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function outputOf(line: string): Promise<string[]> {
  const program = `postrider() { '${process.execPath}' '${SOURCE}' "$@"; }`;
  const child = spawn("bash", ["-c", `${program}\n${line} 2>&1`], {
    cwd: folder,
    env: environment,
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  await once(child, "close");
  return output.trimEnd().split("\n");
}

/** Lines of text as a picture, with the colors and weights of the terminal. */
function drawing(lines: readonly string[]): string {
  const [width, height] = [980, lines.length * LINE_HEIGHT + 2 * PADDING];
  const rows = lines.map((line, index) => {
    const y = PADDING + (index + 1) * LINE_HEIGHT - 5;
    return `<text x="${PADDING}" y="${y}" xml:space="preserve">${spansOf(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12.5" fill="#d6deeb">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0f1720"/>`,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

function spansOf(line: string): string {
  const [first = "", ...styled] = line.split("\u001b[");
  const spans = styled.map((part) => {
    const [, code = "", text = ""] = /^(\d+)m(.*)$/.exec(part) ?? [];
    return text === "" ? "" : `<tspan${STYLES[code] ?? ""}>${escaped(text)}</tspan>`;
  });
  return `${escaped(first)}${spans.join("")}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
