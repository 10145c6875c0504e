/**
 * The image, built and run by the steps of the Dockerfile; no container engine is needed. IMAGE_INSTALLS=full, as
 * `npm run prove` has it, also installs what the build needs.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import lockfile from "../../package-lock.json" with { type: "json" };
import { ROOT } from "../house/sources.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freePort } from "../support/free-port.ts";
import { call } from "../support/http-call.ts";
import { npmEnvironment, NEWEST_NODE } from "./checkout.ts";
import { buildImage, copyContext, type Image, readDockerfile } from "./dockerfile.ts";

const home = fs.mkdtempSync(join(tmpdir(), "postrider-image-"));
/** The user of the image, unless the tests run as another user who is not root. */
const user = process.getuid?.() === 0 ? { uid: 1_000, gid: 1_000 } : {};
let image: Image;
let environment: Record<string, string>;

before(async () => {
  const context = join(home, "context");
  copyContext(context);
  image = buildImage(context, home, npmEnvironment(NEWEST_NODE), commandOf);
  // The user of the image can read a Node that lies in a closed folder of another user.
  fs.mkdirSync(join(home, "bin"));
  fs.copyFileSync(NEWEST_NODE.path, join(home, "bin/node"));
  environment = {
    ...image.environment,
    PATH: [join(home, "bin"), "/usr/bin", "/bin"].join(delimiter),
    POSTRIDER_DATA: join(image.root, image.environment["POSTRIDER_DATA"]!),
    POSTRIDER_PORT: String(await freePort()),
    POSTRIDER_EGRESS_ALLOW: "127.0.0.1",
    POSTRIDER_MIN_FREE_DISK: "0",
  };
  makeReadOnly();
});

after(() => {
  spawnSync("chmod", ["-R", "u+w", home]);
  fs.rmSync(home, { recursive: true, force: true });
});

test("every stage names the Node that the tests run on", () => {
  const bootstrap = fs.readFileSync(join(ROOT, "scripts/bootstrap.mjs"), "utf8");
  const version = /NODE_VERSION = "([\d.]+)"/.exec(bootstrap)?.[1];
  const images = readDockerfile().map((stage) => stage.image);
  assert.deepEqual([...new Set(images)], [`node:${version}-bookworm-slim`]);
});

test("it holds the server, its dependencies and nothing else", () => {
  const app = join(image.root, image.folder);
  assert.deepEqual(fs.readdirSync(app).toSorted(), [
    "LICENSE",
    "dist",
    "node_modules",
    "package.json",
  ]);
  const installed = fs
    .globSync(["node_modules/*", "node_modules/@*/*"], { cwd: app })
    .filter((path) => !/\/(@[^/]+|\.\w[^/]*)$/.test(path));
  assert.deepEqual(installed.toSorted(), productionPackages());
  for (const name of Object.keys(manifest.dependencies)) {
    assert.ok(installed.includes(`node_modules/${name}`), name);
  }
});

test("it runs as a user without rights, over a read-only program, and delivers", async (t) => {
  assert.deepEqual([image.user, image.volumes], ["1000:1000", ["/data"]]);
  const destination = await DestinationServer.start();
  t.after(() => destination.close());
  assert.equal(checkHealth(), 1, "nothing runs yet");
  const server = start();
  t.after(() => server.process.kill("SIGKILL"));
  const token = await server.says(/^POSTRIDER_TOKEN=(.+)$/m);
  await server.says(/"msg":"(ready)"/);
  assert.equal(checkHealth(), 0);
  const url = `http://127.0.0.1:${environment["POSTRIDER_PORT"]}`;
  const path = `/v2/publish/${destination.url}/image`;
  assert.equal((await call(url, "POST", path, { token, body: "hello" })).status, 200);
  const [received] = await destination.received("/image");
  assert.equal(received?.body.toString(), "hello");
  assert.equal((await call(url, "GET", "/openapi.json")).status, 200);
  assert.match((await call(url, "GET", "/")).text, /<script/, "the dashboard is built");
  server.process.kill("SIGTERM");
  assert.deepEqual(await server.ended, [0, null]);
  assert.equal(checkHealth(), 1);
  const files = fs.readdirSync(environment["POSTRIDER_DATA"]!);
  assert.ok(files.includes("postrider.db") && files.includes("secret.key"));
});

/** What the first install brings is here already, from the same lockfile: npm is only asked whether it could. */
function commandOf(step: string, folder: string): string {
  if (step !== "npm ci --ignore-scripts" || process.env["IMAGE_INSTALLS"] === "full") return step;
  for (const workspace of manifest.workspaces) {
    assert.ok(fs.existsSync(join(folder, workspace, "package.json")), workspace);
  }
  return `${step} --dry-run && ln -s '${join(ROOT, "node_modules")}' node_modules`;
}

interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown[]>;
  says(pattern: RegExp): Promise<string>;
}

function start(): Running {
  const [program, ...parameters] = image.command;
  const cwd = join(image.root, image.folder);
  const child = spawn(program!, parameters, { cwd, env: environment, ...user });
  let text = "";
  const heard: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      heard.forEach((check) => check());
    });
  }
  const says = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const found = pattern.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      };
      heard.push(check);
      child.once("exit", () => reject(new Error(`it ended: ${text}`)));
      check();
    });
  return { process: child, ended: once(child, "exit"), says };
}

/** The exit status of the health check of the image. */
function checkHealth(): number | null {
  const [program, ...parameters] = image.healthCheck;
  const cwd = join(image.root, image.folder);
  return spawnSync(program!, parameters, { cwd, env: environment, ...user }).status;
}

/** As with `--read-only`: only the volume can be written to, and the program belongs to root. */
function makeReadOnly(): void {
  fs.chmodSync(home, 0o755);
  change("chmod", "-R", "a-w,a+rX", image.root);
  change("chmod", "u+w", environment["POSTRIDER_DATA"]!);
  if (user.uid !== undefined) change("chown", "1000:1000", environment["POSTRIDER_DATA"]!);
}

function change(program: string, ...words: readonly string[]): void {
  assert.equal(spawnSync(program, words).status, 0, [program, ...words].join(" "));
}

/** The packages that the server needs, and those that they need: the dashboard is built by then. */
function productionPackages(): string[] {
  const packages = lockfile.packages as Record<string, LockedPackage>;
  const needed = new Set<string>();
  const add = (names: readonly string[]): void => {
    for (const name of names) {
      const path = `node_modules/${name}`;
      if (needed.has(path)) continue;
      needed.add(path);
      const { dependencies = {}, optionalDependencies = {} } = packages[path]!;
      add([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);
    }
  };
  add(Object.keys(manifest.dependencies));
  return [...needed].toSorted();
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
