/** Workflows that are served together, and find each other by their names. */
import { WorkflowError } from "./errors.ts";

/** Handles deliveries of the service. Edge runtimes pass their variables with each request. */
export type Handler = (request: Request, environment?: unknown) => Promise<Response>;

/** A workflow that is served together with others, which can invoke it. */
export interface Workflow {
  readonly handler: Handler;
}

/** Records the name under which a workflow is served. */
export function nameWorkflow(workflow: Workflow, name: string): void {
  NAMES.set(workflow, name);
}

/** The URL of a workflow that is served together with the one at a URL. */
export function siblingUrl(url: string, workflow: Workflow): string {
  const name = NAMES.get(workflow);
  if (name === undefined) {
    throw new WorkflowError("the invoked workflow is not served with serveMany; give its url");
  }
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.slice(0, pathname.lastIndexOf("/"))}/${encodeURIComponent(name)}`;
}

const NAMES = new WeakMap<Workflow, string>();
