/** In the place of the runs where there are none: one press, or code that runs. */
import { curlOf } from "../message/commands.ts";
import { sampleRunStart } from "../message/sample-run.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { CodeSample } from "../parts/code-sample.tsx";
import { NoRows } from "../parts/list-parts.tsx";
import { isFiltered, type RunFilter } from "./run-filter.ts";
import type { RunList } from "./run-list.ts";

export function NoRun({ list, filter }: { readonly list: RunList; readonly filter: RunFilter }) {
  if (!list.isNone || isFiltered(filter)) {
    return <NoRows list={list} what="run" time={filter.time} path="/runs" />;
  }
  const startSample = sampleRunStart();
  return (
    <Blank icon="runs" title="No run yet">
      <span class="soft">
        A workflow is a function of yours that calls its steps through Postrider, so that it
        survives a restart.
      </span>
      {startSample === null ? null : (
        <>
          <Button kind="primary" icon="play" onPress={startSample}>
            Run the sample workflow
          </Button>
          <span class="hint">
            It runs inside this server: a step, one that fails and is tried again, a sleep of 5 s,
            and a result.
          </span>
        </>
      )}
      <span class="soft">
        {startSample === null ? "Serve" : "Or serve"} one of yours, start a run of it, and its steps
        appear here.
      </span>
      <CodeSample label="A workflow" text={WORKFLOW} />
      <CodeSample label="Start a run" text={startCommand(window.location.origin)} />
      <a class="link" href="/docs">
        API reference
      </a>
    </Blank>
  );
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A server with one workflow: run it with Node, and start a run of it. */
const WORKFLOW = `// npm install --install-links ../postrider/sdk, from your clone of Postrider
// With postrider dev: POSTRIDER_DEV=1 node order.mjs
import { createServer } from ${quoted("node:http")};
import { serve } from ${quoted("@postrider/sdk/express")};

createServer(
  serve(async (context) => {
    const order = await context.run("load order", () => ({ total: 84.9 }));
    await context.sleep("cool off", "5s");
    await context.run("send mail", () => console.log("sent", order.total));
  }),
).listen(3000);`;

function startCommand(origin: string): string {
  return curlOf(`${origin}/v2/trigger/http://localhost:3000/`, "$POSTRIDER_TOKEN", [], "{}");
}
