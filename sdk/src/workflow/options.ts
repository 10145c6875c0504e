import type { FlowControl, RetrySettings } from "../settings.ts";
import type { ClientOptions } from "../transport.ts";
import type { Receiver } from "../receiver.ts";
import type { Context } from "./context.ts";
import type { Failure } from "./failure.ts";

export type WorkflowFunction<Payload, Result> = (context: Context<Payload>) => Promise<Result>;

export interface ServeOptions<Payload> extends RetrySettings {
  /** How the service is reached; `POSTRIDER_URL` and `POSTRIDER_TOKEN` if absent. */
  readonly client?: Omit<ClientOptions, "headers" | "headerPrefix"> | undefined;
  /** Verifies deliveries; made from the signing keys in the environment, or false for none. */
  readonly receiver?: Receiver | false | undefined;
  /**
   * The URL under which the service reaches this endpoint, if that is not the URL of the request.
   * Deliveries must be signed for its host and path.
   */
  readonly url?: string | ((request: Request) => string) | undefined;
  /** Called once a run has failed. */
  readonly onFailure?: ((failure: Failure<Payload>) => unknown) | undefined;
  /** Parses the payload text of the run; JSON, else text, if absent. */
  readonly parsePayload?: ((text: string) => Payload) | undefined;
  /** Checks the payload. */
  readonly schema?: StandardSchema<Payload> | undefined;
  /** Logs deliveries and responses to the console. */
  readonly verbose?: boolean | undefined;
  /** For runs that a plain request to the endpoint starts, like retries and retryDelay. */
  readonly flowControl?: FlowControl | undefined;
}

/** The common interface of validators such as zod, valibot and arktype. */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };
