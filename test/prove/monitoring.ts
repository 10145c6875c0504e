import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { DestinationServer } from "../support/destination-server.ts";
import { call } from "../support/http-call.ts";
import { TestService } from "../support/service-harness.ts";

/** Holds the metrics of a service and our alert rules against Prometheus' own checker. */
export async function checkMonitoring(): Promise<string> {
  const destination = await DestinationServer.start();
  const service = await TestService.start();
  try {
    await service.logUntil(await service.publish(`${destination.url}/`), "DELIVERED");
    const { text } = await call(service.url, "GET", "/metrics");
    promtool(["check", "metrics"], text);
    const rules = fileURLToPath(new URL("../../deploy/prometheus/alerts.yml", import.meta.url));
    promtool(["check", "rules", rules], "");
    seeLostNode(rules);
    const metrics = text.match(/^# TYPE /gm)?.length ?? 0;
    return `promtool takes ${metrics} metrics and the alert rules; a lost node is seen with a scrape each minute`;
  } finally {
    await service.stop();
    await destination.close();
  }
}

/** A node was lost between two scrapes, and another node shows it for as long as it does. */
function seeLostNode(rules: string): void {
  const folder = mkdtempSync(join(tmpdir(), "postrider-alerts-"));
  const file = join(folder, "test.yml");
  const labels = { node: "host-1", id: "node_a" };
  const fires = (isLost: boolean) =>
    isLost
      ? [{ exp_labels: { severity: "critical", ...labels }, exp_annotations: ANNOTATIONS }]
      : [];
  const at = (eval_time: string, isLost: boolean) => ({
    eval_time,
    alertname: "PostriderNodeLost",
    exp_alerts: fires(isLost),
  });
  const series = 'postrider_node_lost{node="host-1",id="node_a",instance="host-2:8080"}';
  const input = [{ series, values: "_x2 1x14 stale" }];
  // JSON is YAML too.
  const text = JSON.stringify({
    rule_files: [rules],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: input,
        alert_rule_test: [at("1m", false), at("3m", true), at("15m", true), at("20m", false)],
      },
    ],
  });
  try {
    writeFileSync(file, text);
    promtool(["test", "rules", file], "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ANNOTATIONS = {
  summary: "Node host-1 (node_a) fell silent without a stop",
  description:
    "The other nodes have taken its messages over. Look at its machine and its last log lines, and start it again.",
};

function promtool(args: readonly string[], input: string): void {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, {
    input,
    encoding: "utf8",
  });
  if (error) throw new Error("promtool is missing; on Debian: apt-get install prometheus");
  if (status !== 0) throw new Error(`promtool ${args.join(" ")}: ${stdout}${stderr}`);
}
