/** What `postrider/sdk` offers. */
export { Client } from "./client/client.ts";
export type {
  BatchAnswer,
  BatchItem,
  Publish,
  PublishAnswer,
  PublishToGroup,
  PublishToUrl,
} from "./client/publish.ts";
export type { NewSchedule } from "./client/schedules.ts";
export type * from "./client/filters.ts";
export type * from "./client/records.ts";
export * from "./errors.ts";
export type { Page } from "./page.ts";
export { Receiver, type ReceiverOptions, type SignedRequest } from "./receiver.ts";
export type { Selection } from "./selection.ts";
export type * from "./settings.ts";
export type { ClientOptions, RetryOptions } from "./transport.ts";
