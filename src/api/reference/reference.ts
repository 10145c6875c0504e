import { type StaticFile, staticFile } from "../http/answers/static-file.ts";
import { type DocumentedGroup, openApiOf } from "./openapi.ts";

/** The reference of the API, made when it is first read, and kept. */
export class Reference {
  readonly #groups: readonly DocumentedGroup[];
  readonly #version: string;
  #openApi: StaticFile | null = null;

  constructor(groups: readonly DocumentedGroup[], version: string) {
    this.#groups = groups;
    this.#version = version;
  }

  get openApi(): StaticFile {
    return (this.#openApi ??= staticFile(
      JSON.stringify(openApiOf(this.#groups, this.#version)),
      "application/json",
    ));
  }
}
