/** The compose files name settings, images, volumes and files that exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { environmentOf, type Setting, SETTINGS } from "../../src/config/settings.ts";
import { ROOT } from "../house/sources.ts";
import { readDockerfile } from "./dockerfile.ts";

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly networks?: Readonly<Record<string, Network>>;
}

interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
}

interface Network {
  readonly ipam: { readonly config: readonly { readonly subnet: string }[] };
}

const FOLDER = join(ROOT, "deploy/compose");
const settings = new Map(
  Object.entries(SETTINGS as Readonly<Record<string, Setting<unknown>>>).map(([name, row]) => [
    environmentOf(name),
    row,
  ]),
);

for (const name of ["sqlite.yml", "cluster.yml"]) {
  const compose = parse(readFileSync(join(FOLDER, name), "utf8"), { merge: true }) as Compose;
  const services = Object.entries(compose.services);
  const nodes = services.filter(([, { image }]) => image.startsWith("postrider:"));

  test(`${name}: every image has a version, and every service a health check`, () => {
    assert.ok(nodes.length > 0);
    for (const [service, { image, healthcheck }] of services) {
      assert.match(image, /^[a-z]+:\d+\.\d+/, service);
      assert.ok((healthcheck?.test.length ?? 0) > 1, service);
    }
    for (const [, { image }] of nodes) assert.equal(image, `postrider:${manifest.version}`);
  });

  test(`${name}: every variable is a setting, and every value one that it takes`, () => {
    for (const [service, { environment = {} }] of nodes) {
      for (const [variable, value] of Object.entries(environment)) {
        const row = settings.get(variable);
        assert.ok(row !== undefined, `${service}: ${variable}`);
        const given = value
          .replace(/\$\{\w+:-([^}]*)\}/g, "$1")
          .replace(/\$\{\w+:\?[^}]*\}/g, "a-secret-that-is-long-enough");
        assert.doesNotThrow(() => row.parse(given), `${service}: ${variable}=${given}`);
      }
    }
  });

  test(`${name}: secrets are not in the file`, () => {
    for (const [, { environment = {} }] of services) {
      for (const [variable, value] of Object.entries(environment)) {
        const isSecret = settings.get(variable)?.isSecret === true || variable.includes("PASSWORD");
        if (isSecret) assert.match(value, /\$\{\w+:\?/, variable);
      }
    }
  });

  test(`${name}: volumes, files, services and the build exist`, () => {
    for (const [service, one] of services) {
      for (const volume of one.volumes ?? []) {
        const [source = ""] = volume.split(":");
        const isKnown = source.startsWith(".")
          ? existsSync(join(FOLDER, source))
          : source in (compose.volumes ?? {});
        assert.ok(isKnown, `${service}: ${volume}`);
      }
      for (const other of Object.keys(one.depends_on ?? {})) assert.ok(other in compose.services);
      if (one.build !== undefined) assert.ok(existsSync(join(FOLDER, one.build, "Dockerfile")));
    }
  });

  test(`${name}: a node has a read-only system and time to stop`, () => {
    for (const [, node] of nodes) {
      assert.equal(node.read_only, true);
      assert.ok(Number.parseInt(node.stop_grace_period ?? "", 10) >= 40);
    }
  });
}

test("the data of the single server is in the volume of the image", () => {
  const { services } = parse(readFileSync(join(FOLDER, "sqlite.yml"), "utf8"), {
    merge: true,
  }) as Compose;
  const last = readDockerfile().at(-1)!.steps;
  const volume = last.find(({ word }) => word === "VOLUME")?.rest;
  assert.deepEqual(services["postrider"]?.volumes, [`data:${volume}`]);
  assert.ok(last.some(({ word, rest }) => word === "ENV" && rest === `POSTRIDER_DATA=${volume}`));
});

test("the proxy forwards to each node of the cluster, and the nodes trust its network", () => {
  const compose = parse(readFileSync(join(FOLDER, "cluster.yml"), "utf8"), {
    merge: true,
  }) as Compose;
  const proxy = readFileSync(join(FOLDER, "nginx.conf"), "utf8");
  const targets = Array.from(proxy.matchAll(/^\s*server ([\w-]+):8080/gm), ([, target]) => target!);
  const nodes = Object.keys(compose.services).filter((service) => service.startsWith("node-"));
  assert.equal(nodes.length, 3);
  assert.deepEqual(targets, nodes);
  const subnet = compose.networks?.["inside"]?.ipam.config[0]?.subnet;
  for (const node of nodes) {
    assert.equal(compose.services[node]?.environment?.["POSTRIDER_TRUSTED_PROXIES"], subnet);
    assert.equal(
      compose.services[node]?.ports,
      undefined,
      "only the proxy is reached from outside",
    );
  }
  assert.match(proxy, /merge_slashes off;/);
});
