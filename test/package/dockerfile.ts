/** Reads a Dockerfile, and runs its steps in folders in place of images. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { repositoryFiles, ROOT } from "../house/sources.ts";

interface Step {
  readonly word: string;
  readonly rest: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string;
  readonly steps: readonly Step[];
}

/** What the last stage says about how it is run. */
export interface Image {
  /** The folder that stands for `/`. */
  readonly root: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly volumes: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

export function readDockerfile(): Stage[] {
  const lines = readFileSync(join(ROOT, "Dockerfile"), "utf8").split("\n");
  const steps = lines
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line): Step => {
      const [, word, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      assert.ok(word !== undefined && rest !== undefined, `cannot be read: ${line}`);
      return { word, rest };
    });
  const stages: { image: string; name: string; steps: Step[] }[] = [];
  for (const step of steps) {
    if (step.word !== "FROM") stages.at(-1)!.steps.push(step);
    else {
      const [image, , name] = step.rest.split(/\s+/);
      stages.push({ image: image!, name: name ?? "", steps: [] });
    }
  }
  return stages;
}

/** What `docker build` would be sent: the files of the repository that `.dockerignore` leaves. */
export function copyContext(folder: string): void {
  const patterns = readFileSync(join(ROOT, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const sent = repositoryFiles().filter((file) => !isIgnored(file, patterns));
  assert.ok(sent.includes("package.json"));
  for (const file of sent) copy(join(ROOT, file), join(folder, file));
}

/** The last pattern that matches a file, or a folder that it is in, decides. */
function isIgnored(file: string, patterns: readonly string[]): boolean {
  const parts = file.split("/");
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  const last = patterns.findLast((pattern) =>
    paths.some((path) => matchesGlob(path, pattern.replace(/^!/, ""))),
  );
  return last !== undefined && !last.startsWith("!");
}

/** What is run for a step, in the folder where it stands. */
export type StepCommand = (step: string, folder: string) => string;

/** Runs every stage in a folder of its own; `RUN` gets the environment and a shell. */
export function buildImage(
  context: string,
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
  commandOf: StepCommand,
): Image {
  const roots = new Map<string, string>();
  let image: Image | undefined;
  for (const [index, stage] of readDockerfile().entries()) {
    const root = join(home, `stage-${index}`);
    mkdirSync(root);
    roots.set(stage.name, root);
    image = runStage(stage, root, { context, roots, environment, commandOf });
  }
  return image!;
}

interface Surroundings {
  readonly context: string;
  readonly roots: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly commandOf: StepCommand;
}

function runStage(stage: Stage, root: string, around: Surroundings): Image {
  const image = {
    root,
    folder: "/",
    environment: {} as Record<string, string>,
    user: "root",
    volumes: [] as string[],
    command: [] as string[],
    healthCheck: [] as string[],
  };
  const actions: Readonly<Record<string, (rest: string) => void>> = {
    WORKDIR: (rest) => {
      image.folder = rest;
      mkdirSync(join(root, rest), { recursive: true });
    },
    COPY: (rest) => copyAll(rest, join(root, image.folder), root, around),
    RUN: (rest) => {
      const cwd = join(root, image.folder);
      const { status, stderr } = spawnSync("/bin/sh", ["-c", around.commandOf(rest, cwd)], {
        cwd,
        env: around.environment,
        encoding: "utf8",
      });
      assert.equal(status, 0, `${rest}: ${stderr}`);
    },
    ENV: (rest) => {
      const [, name, value] = /^(\w+)=(\S*)$/.exec(rest)!;
      image.environment[name!] = value!;
    },
    USER: (rest) => (image.user = rest),
    VOLUME: (rest) => image.volumes.push(rest),
    EXPOSE: () => undefined,
    HEALTHCHECK: (rest) => (image.healthCheck = words(rest.slice(rest.indexOf("CMD ") + 4))),
    ENTRYPOINT: (rest) => (image.command = words(rest)),
    CMD: (rest) => image.command.push(...words(rest)),
  };
  for (const { word, rest } of stage.steps) {
    assert.ok(Object.hasOwn(actions, word), `${word} is not known here`);
    actions[word]!(rest);
  }
  return image;
}

/** Files and folders of the context or of another stage, to a folder or, if alone, to a name. */
function copyAll(
  rest: string,
  folder: string,
  root: string,
  { context, roots }: Surroundings,
): void {
  const given = rest.split(/\s+/);
  const from = given.find((one) => one.startsWith("--from="))?.slice("--from=".length);
  const paths = given.filter((one) => !one.startsWith("--"));
  const target = paths.pop()!;
  const base = from === undefined ? context : roots.get(from)!;
  const to = target.startsWith("/") ? join(root, target) : join(folder, target);
  const isInto = paths.length > 1 || target.endsWith("/");
  for (const path of paths) {
    const source = join(base, path);
    const isFolder = statSync(source).isDirectory();
    copy(source, isInto && !isFolder ? join(to, path.split("/").at(-1)!) : to);
  }
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

function words(json: string): string[] {
  return JSON.parse(json) as string[];
}
