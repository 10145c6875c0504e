/** A service that dies while it stores a large report in pieces: the report is sent whole, once it is back. */
import { test } from "node:test";

import { killUnderReports, requireReported } from "../prove/large-reports.ts";

test("every large answer is reported whole, however often the service is killed", async () => {
  requireReported(await killUnderReports(3));
});
