/** The variable parts of paths: the sentence that documents each, and an example. */
export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  destination: {
    says: "A URL, as it is or percent-encoded, or the name of a URL group.",
    example: "https://example.com/hook",
  },
  queueName: { says: "The name of a queue.", example: "invoices" },
  messageId: { says: "The id of a message.", example: "msg_01JGFJJZ00ABCDEFGHJKMNPQRS" },
  name: { says: "The name of a URL group.", example: "orders" },
  flowControlKey: {
    says: "A flow-control key. It may hold slashes.",
    example: "tenant-7",
  },
  scheduleId: { says: "The id of a schedule.", example: "daily-report" },
  dlqId: { says: "The id of a dead letter.", example: "1767225600000-17" },
  workflowUrl: {
    says: "The URL of a workflow, as it is or percent-encoded.",
    example: "https://example.com/order",
  },
  workflowRunId: { says: "The id of a run.", example: "wfr_01JGFJJZ00ABCDEFGHJKMNPQRS" },
  eventId: {
    says: "The id of an event. A percent-encoded one may hold slashes.",
    example: "packed-7",
  },
  hook: {
    says: "The rest of the URL that the workflow was given.",
    example: "acc_1/wfr_1/hook_1",
  },
  path: { says: "Any path.", example: "hello" },
  id: { says: "The id of the account or token.", example: "acc_01JGFJJZ00" },
};

export interface PathParameter {
  readonly says: string;
  readonly example: string;
}

/** `{name...}` and `{name+}` of a route, as readers write them: `{name}`. */
export function shownPath(path: string): string {
  return path.replace(/(\.\.\.|\+)\}/g, "}");
}

export function parametersIn(path: string): string[] {
  return Array.from(shownPath(path).matchAll(/\{(\w+)\}/g), ([, name]) => name!);
}
