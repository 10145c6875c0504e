import { spawnSync } from "node:child_process";
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
    const metrics = text.match(/^# TYPE /gm)?.length ?? 0;
    return `promtool takes ${metrics} metrics and the alert rules`;
  } finally {
    await service.stop();
    await destination.close();
  }
}

function promtool(args: readonly string[], input: string): void {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, {
    input,
    encoding: "utf8",
  });
  if (error) throw new Error("promtool is missing; on Debian: apt-get install prometheus");
  if (status !== 0) throw new Error(`promtool ${args.join(" ")}: ${stdout}${stderr}`);
}
