/** Workflows that are served beside one another, and find each other by their names. */
import { WorkflowError } from "./errors.ts";

/** Takes what the service delivers. Edge runtimes pass their variables with each request. */
export type Handler = (request: Request, environment?: unknown) => Promise<Response>;

/** A workflow to be served beside others, which can invoke it. */
export interface Workflow {
  readonly handler: Handler;
}

/** Remembers under which name a workflow is served. */
export function nameWorkflow(workflow: Workflow, name: string): void {
  NAMES.set(workflow, name);
}

/** The URL of a workflow that is served beside the one at a URL. */
export function siblingUrl(url: string, workflow: Workflow): string {
  const name = NAMES.get(workflow);
  if (name === undefined) {
    throw new WorkflowError("the invoked workflow is not served with serveMany; give its url");
  }
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.slice(0, pathname.lastIndexOf("/"))}/${encodeURIComponent(name)}`;
}

const NAMES = new WeakMap<Workflow, string>();
