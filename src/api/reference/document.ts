/** The parts of an OpenAPI 3.1 document that the reference writes and reads. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>> & { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: Components;
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** The path of the route, where OpenAPI cannot say it. */
  readonly "x-path"?: string;
}

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required?: boolean;
  readonly style?: "form";
  readonly explode?: false;
  readonly schema: unknown;
  readonly example?: unknown;
}

export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Content;
}

export interface Response {
  readonly description: string;
  readonly content?: Content;
}

export type Content = Readonly<
  Record<string, { readonly schema?: unknown; readonly example?: unknown }>
>;

export interface Components {
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly securitySchemes: Readonly<Record<string, unknown>>;
}
