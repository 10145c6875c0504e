/** What the reference holds, in its order, and which part of it a hash or a search means. */
import { type OpenApi, type Operation, resolvedParameter } from "./document.ts";

export interface ListedOperation {
  readonly method: string;
  /** What is shown for the method: `any` where each is accepted. */
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

/** A line of the contents; its id is the hash of the URL. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly verb?: string;
  /** Listed only when a search finds it. */
  readonly isHidden?: boolean;
  /** What a search reads, in lower case. */
  readonly words: string;
}

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly entries: readonly Entry[];
}

export type View =
  | { readonly kind: "introduction" | "headers" | "refusals" | "schemas" }
  | { readonly kind: "feature"; readonly name: string }
  | { readonly kind: "operation"; readonly listed: ListedOperation }
  | { readonly kind: "schema"; readonly name: string };

/** Every endpoint; older names come last. */
export function operationsOf({ paths }: OpenApi): ListedOperation[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method,
      verb: operation.description.includes("Any method is accepted.") ? "any" : method,
      path: operation["x-path"] ?? path,
      operation,
    })),
  );
  return all.toSorted((one, other) => Number(isOlder(one)) - Number(isOlder(other)));
}

export function contentsOf(document: OpenApi): Group[] {
  const operations = operationsOf(document);
  const { parameters, schemas } = document.components;
  return [
    { id: "introduction", name: "Start", entries: START.map(([id, name]) => entry(id, name)) },
    ...document.tags.map(({ name }) => ({
      id: featureId(name),
      name,
      entries: operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map((listed) => operationEntry(listed, document)),
    })),
    {
      id: "headers",
      name: "Headers",
      entries: Object.values(parameters).map(({ name, description }) => ({
        ...entry(headerId(name), name, description),
        isHidden: true,
      })),
    },
    {
      id: "schemas",
      name: "Schemas",
      entries: Object.entries(schemas).map(([name, { properties = {} }]) =>
        entry(schemaId(name), name, Object.keys(properties).join(" ")),
      ),
    },
  ];
}

/** The groups with the entries that hold every word; without words what is listed. */
export function searched(groups: readonly Group[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isShown = (one: Entry): boolean =>
    words.length === 0 ? one.isHidden !== true : words.every((word) => one.words.includes(word));
  return groups
    .map((group) => ({ ...group, entries: group.entries.filter(isShown) }))
    .filter(({ entries }) => entries.length > 0);
}

/** What a hash shows; the introduction when it names nothing. */
export function viewOf(hash: string, document: OpenApi): View {
  const listed = operationsOf(document).find(({ operation }) => operation.operationId === hash);
  if (listed !== undefined) return { kind: "operation", listed };
  const feature = document.tags.find(({ name }) => featureId(name) === hash);
  if (feature !== undefined) return { kind: "feature", name: feature.name };
  const { schemas } = document.components;
  const schema = Object.keys(schemas).find((name) => schemaId(name) === hash);
  if (schema !== undefined) return { kind: "schema", name: schema };
  if (hash === "headers" || hash.startsWith("header-")) return { kind: "headers" };
  if (hash === "refusals" || hash.startsWith("refused-")) return { kind: "refusals" };
  return { kind: hash === "schemas" ? "schemas" : "introduction" };
}

export function featureId(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

export function headerId(name: string): string {
  return `header-${name.toLowerCase()}`;
}

export function schemaId(name: string): string {
  return `schema-${name}`;
}

function isOlder({ operation }: ListedOperation): boolean {
  return operation.deprecated === true;
}

function operationEntry({ verb, path, operation }: ListedOperation, document: OpenApi): Entry {
  const { operationId, summary, description, parameters, tags } = operation;
  const names = parameters
    .map((one) => resolvedParameter(one, document))
    // Headers have entries of their own.
    .filter((one) => one.in !== "header")
    .map(({ name }) => name);
  const others = [verb, path, operationId, ...tags, ...names, description];
  const isHidden = operation.deprecated === true;
  return { ...entry(operationId, summary, others.join(" ")), verb, isHidden };
}

function entry(id: string, name: string, others = ""): Entry {
  return { id, name, words: `${name} ${others}`.toLowerCase() };
}

const START = [
  ["introduction", "Introduction"],
  ["headers", "Headers"],
  ["refusals", "Refusals"],
] as const;
