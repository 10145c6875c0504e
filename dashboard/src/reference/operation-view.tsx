/** One endpoint: what it does and takes, what it answers, and a command that calls it. */
import type { ComponentChildren } from "preact";
import { CodeCard, JsonCard } from "./code-card.tsx";
import type { ListedOperation } from "./contents.ts";
import { type Answer, nameIn, type OpenApi, type Operation, type Parameter } from "./document.ts";
import { resolvedParameter, type Schema } from "./document.ts";
import { curlOf, exampleOf } from "./examples.ts";
import { Inline, Marked } from "./marked.tsx";
import { Member, Members, membersCount, TypeText } from "./schema-view.tsx";

interface OperationProps {
  readonly operation: Operation;
  readonly document: OpenApi;
}

export function OperationView({
  listed: { method, verb, path, operation },
  document,
}: {
  readonly listed: ListedOperation;
  readonly document: OpenApi;
}) {
  const parameters = operation.parameters.map((one) => resolvedParameter(one, document));
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!);
  // A path that two routes share has the names of one of them.
  const inPath = parameters
    .filter((one) => one.in === "path")
    .map((one, index) => ({ ...one, name: names[index]! }));
  return (
    <>
      <p class="route">
        <code class="tag">{verb.toUpperCase()}</code>
        <ShownPath path={path} />
        <span class="tag">{accessText(operation)}</span>
        {operation.deprecated === true ? <span class="tag">older name</span> : null}
      </p>
      <div class="ref-cols">
        <div class="stack">
          <Marked text={operation.description} />
          <Parameters title="Path" parameters={inPath} />
          <Parameters title="Query" parameters={parameters.filter((one) => one.in === "query")} />
          <Headers parameters={parameters.filter((one) => one.in === "header")} />
          <RequestBody operation={operation} document={document} />
          <Answers operation={operation} document={document} />
        </div>
        <div class="stack">
          <CodeCard
            title="Request"
            text={curlOf(method, path, operation, document)}
            what="command"
          />
          <ExampleAnswer operation={operation} document={document} />
        </div>
      </div>
    </>
  );
}

/** A path may break at its slashes. */
export function ShownPath({ path }: { readonly path: string }) {
  return (
    <code class="path">
      {path.split("/").map((word, index) => (
        <>
          {index === 0 ? "" : "/"}
          <wbr />
          {word.startsWith("{") ? <em>{word}</em> : word}
        </>
      ))}
    </code>
  );
}

function accessText({ security: [scheme] }: Operation): string {
  if (scheme === undefined) return "no token";
  return "token" in scheme ? "token" : "Basic auth";
}

function Section({
  title,
  beside,
  children,
}: {
  readonly title: string;
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card">
      <header>
        <h3>{title}</h3>
        <span class="muted small">{beside}</span>
      </header>
      {children}
    </section>
  );
}

interface ParametersProps {
  readonly title: string;
  readonly parameters: readonly Parameter[];
}

function Parameters({ title, parameters }: ParametersProps) {
  if (parameters.length === 0) return null;
  return (
    <Section title={title}>
      <ParameterList parameters={parameters} />
    </Section>
  );
}

export function ParameterList({
  parameters,
  idOf,
}: Pick<ParametersProps, "parameters"> & { readonly idOf?: (name: string) => string }) {
  return (
    <dl class="members">
      {parameters.map(({ name, schema, description, required }) => (
        <Member
          key={name}
          {...(idOf === undefined ? {} : { id: idOf(name) })}
          name={name}
          schema={schema}
          description={description}
          isRequired={required === true}
        />
      ))}
    </dl>
  );
}

/** Those of callbacks repeat the others, and are behind a line. */
function Headers({ parameters }: Pick<ParametersProps, "parameters">) {
  if (parameters.length === 0) return null;
  const ofCallbacks = parameters.filter(isOfCallback);
  return (
    <Section title="Headers">
      <ParameterList parameters={parameters.filter((one) => !isOfCallback(one))} />
      {ofCallbacks.length === 0 ? null : (
        <details>
          <summary>{ofCallbacks.length} more for callbacks</summary>
          <ParameterList parameters={ofCallbacks} />
        </details>
      )}
    </Section>
  );
}

function isOfCallback({ name }: Parameter): boolean {
  return /^Svc-(Failure-)?Callback-/.test(name);
}

function RequestBody({ operation: { requestBody }, document }: OperationProps) {
  const [content] = Object.entries(requestBody?.content ?? {});
  if (requestBody === undefined || content === undefined) return null;
  const [type, { schema = {} }] = content;
  const optional = requestBody.required ? "" : ", optional";
  return (
    <Section
      title="Body"
      beside={
        type === "*/*" ? (
          "any bytes"
        ) : (
          <>
            <TypeText schema={schema} />
            {optional}
          </>
        )
      }
    >
      {requestBody.description === undefined ? null : (
        <p class="pad">
          <Inline text={requestBody.description} />
        </p>
      )}
      <Members schema={schema} document={document} />
    </Section>
  );
}

function Answers({ operation: { responses }, document }: OperationProps) {
  const all = Object.entries(responses);
  return (
    <Section title="Answers">
      <ul class="answers">
        {all.map(([status, answer]) =>
          "$ref" in answer ? null : (
            <li key={status}>
              <OwnAnswer status={status} answer={answer} document={document} />
            </li>
          ),
        )}
        <li class="refused">
          <span class="muted small">Refused with</span>
          {all.map(([status, answer]) =>
            "$ref" in answer ? (
              <a key={status} class="tag" href={`#refused-${status}`}>
                {status} {reasonOf(document.components.responses[nameIn(answer.$ref)]!)}
              </a>
            ) : null,
          )}
        </li>
      </ul>
    </Section>
  );
}

interface OwnAnswerProps {
  readonly status: string;
  readonly answer: Answer;
  readonly document: OpenApi;
}

function OwnAnswer({ status, answer, document }: OwnAnswerProps) {
  const schema = schemaOf(answer);
  const count = schema === undefined ? 0 : membersCount({ schema, document });
  return (
    <>
      <div class="row">
        <span class={`status ${/^[45]/.test(status) ? "bad" : "ok"}`}>{status}</span>
        <span class="grow">
          <Inline text={answer.description.replace(/\.$/, "")} />
        </span>
        {schema === undefined ? null : (
          <span class="muted small">
            <TypeText schema={schema} />
          </span>
        )}
      </div>
      {schema === undefined || count === 0 ? null : (
        <details open={count <= OPEN_MAX}>
          <summary>{count === 1 ? "1 member" : `${count} members`}</summary>
          <Members schema={schema} document={document} />
        </details>
      )}
    </>
  );
}

function ExampleAnswer({ operation: { responses }, document }: OperationProps) {
  const [found] = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  if (found === undefined || "$ref" in found[1]) return null;
  const [status, answer] = found;
  const schema = answer.content?.["application/json"]?.schema;
  if (schema === undefined) return null;
  return <JsonCard title={`Answer ${status}`} value={exampleOf(schema, document)} />;
}

function schemaOf({ content = {} }: Answer): Schema | undefined {
  return Object.values(content)[0]?.schema;
}

/** `Bad Request`, the first words of what is said about a status. */
export function reasonOf({ description }: Answer): string {
  return description.split(".")[0]!;
}

const OPEN_MAX = 8;
