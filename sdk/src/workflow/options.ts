import { PostriderError } from "../errors.ts";
import { type OptionNames, requireKnown, requireKnownWithin } from "../option-names.ts";
import type { FlowControl, RetrySettings } from "../settings.ts";
import { CLIENT_OPTIONS, type ClientOptions } from "../transport.ts";
import type { Receiver } from "../receiver.ts";
import type { Context } from "./context.ts";
import type { Failure } from "./failure.ts";
import type { Logger } from "./logger.ts";

export type WorkflowFunction<Payload, Result> = (context: Context<Payload>) => Promise<Result>;

export interface ServeOptions<Payload> extends RetrySettings {
  /** How the service is reached; `POSTRIDER_URL` and `POSTRIDER_TOKEN` if absent. */
  readonly client?: Omit<ClientOptions, "headers" | "headerPrefix"> | undefined;
  /** Verifies deliveries; made from the signing keys in the environment, or false for none. */
  readonly receiver?: Receiver | false | undefined;
  /**
   * The URL under which the service reaches this endpoint. Deliveries must be signed for its host
   * and path. A plain message, also of a schedule or queue, starts a run only if it is signed for
   * exactly this URL. If absent, kind, run and path are checked, and the host only against the one
   * that the request names, which a caller can choose. A function must not build the host from the
   * request's URL or `Host`, since its result counts as given.
   */
  readonly url?: string | ((request: Request) => string) | undefined;
  /**
   * Whether a proxy sets `Host` and `X-Forwarded-Host` itself, whatever a caller sends. Then a
   * delivery may be signed for the host in either. Not needed with `url`.
   */
  readonly trustProxy?: boolean | undefined;
  /** Called once a run has failed. */
  readonly onFailure?: ((failure: Failure<Payload>) => unknown) | undefined;
  /** Parses the payload text of the run; JSON, else text, if absent. */
  readonly parsePayload?: ((text: string) => Payload) | undefined;
  /** Checks the payload. */
  readonly schema?: StandardSchema<Payload> | undefined;
  /** Prints errors of the workflow with their stacks; the console if absent, or false for none. */
  readonly logger?: Logger | false | undefined;
  /** Logs deliveries and responses to the console. */
  readonly verbose?: boolean | undefined;
  /** For runs that a plain request to the endpoint starts, like retries and retryDelay. */
  readonly flowControl?: FlowControl | undefined;
}

/** Refuses options that do not exist. */
export function requireServeOptions<Payload>(options: ServeOptions<Payload>): void {
  requireKnown("serve", options, SERVE);
  const { logger, client } = options;
  requireKnownWithin("client", client, OWN_CLIENT);
  if (logger === undefined || logger === false || typeof logger?.error === "function") return;
  throw new PostriderError("logger must have a method error, or be false");
}

const { headers: _, headerPrefix: __, ...OWN_CLIENT } = CLIENT_OPTIONS;
const SERVE: OptionNames<ServeOptions<unknown>> = {
  retries: true,
  retryDelay: true,
  client: true,
  receiver: true,
  url: true,
  trustProxy: true,
  onFailure: true,
  parsePayload: true,
  schema: true,
  logger: true,
  verbose: true,
  flowControl: true,
};

/** The common interface of validators such as zod, valibot and arktype. */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };
