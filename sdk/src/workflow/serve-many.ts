import { noSuchWorkflow } from "./answers.ts";
import { responseOf } from "./incoming.ts";
import type { ServeOptions, WorkflowFunction } from "./options.ts";
import { decodeName } from "./protocol.ts";
import { serve } from "./serve.ts";
import { type Handler, nameWorkflow, type Workflow } from "./siblings.ts";

/** A workflow to be served beside others. */
export function createWorkflow<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options?: ServeOptions<Payload>,
): Workflow {
  return { handler: serve(run, options) };
}

/** Serves several workflows; the last part of the path selects one. */
export function serveMany(workflows: Readonly<Record<string, Workflow>>): Handler {
  const byName = new Map(Object.entries(workflows));
  for (const [name, workflow] of byName) nameWorkflow(workflow, name);
  return async (request, environment) => {
    const { pathname } = new URL(request.url);
    const name = decodeName(pathname.slice(pathname.lastIndexOf("/") + 1));
    const workflow = byName.get(name);
    if (workflow !== undefined) return workflow.handler(request, environment);
    return responseOf(noSuchWorkflow(name, [...byName.keys()]));
  };
}
