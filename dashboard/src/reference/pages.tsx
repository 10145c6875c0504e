/** The parts of the reference that belong to no endpoint. */
import { CodeCard, JsonCard } from "./code-card.tsx";
import { featureId, headerId, operationsOf, schemaId } from "./contents.ts";
import { type OpenApi } from "./document.ts";
import { exampleOf } from "./examples.ts";
import { Marked } from "./marked.tsx";
import { ParameterList, reasonOf, ShownPath } from "./operation-view.tsx";
import { Members } from "./schema-view.tsx";

interface PageProps {
  readonly document: OpenApi;
}

export function IntroductionPage({ document: { info, tags } }: PageProps) {
  return (
    <div class="ref-cols">
      <div class="stack">
        <Marked
          text={[
            info.summary,
            "All paths are relative to the address of your server. Send JSON in UTF-8. Times are unix milliseconds unless a field says otherwise.",
            "An answer of 2xx to a publish means that the message is stored durably. It is then sent at least once.",
            "Lists come in pages: send the `cursor` of an answer to get the next page.",
            info.description,
          ].join("\n\n")}
        />
        <ul class="card list">
          {tags.map(({ name, description }) => (
            <li key={name}>
              <a class="link" href={`#${featureId(name)}`}>
                {name}
              </a>
              <span class="grow soft">{description.replaceAll("`", "")}</span>
            </li>
          ))}
        </ul>
      </div>
      <div class="stack">
        <CodeCard title="Your shell" text={SHELL} what="commands" />
        <CodeCard title="With a token" text={TOKEN_CALL} what="command" />
        <CodeCard title="With Basic auth" text={BASIC_CALL} what="command" />
      </div>
    </div>
  );
}

export function FeaturePage({ document, name }: PageProps & { readonly name: string }) {
  const { description } = document.tags.find((tag) => tag.name === name)!;
  return (
    <>
      <Marked text={description} />
      <ul class="card list">
        {operationsOf(document)
          .filter(({ operation }) => operation.tags.includes(name))
          .map(({ verb, path, operation }) => (
            <li key={operation.operationId} class="call">
              <a class="link" href={`#${operation.operationId}`}>
                {operation.summary}
              </a>
              <code class="verb">{verb.toUpperCase()}</code>
              <span>
                <ShownPath path={path} />
                {operation.deprecated === true ? <span class="tag">older name</span> : null}
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}

export function HeadersPage({ document }: PageProps) {
  return (
    <>
      <Marked text={HEADERS_TEXT} />
      <div class="card">
        <ParameterList parameters={Object.values(document.components.parameters)} idOf={headerId} />
      </div>
    </>
  );
}

export function RefusalsPage({ document: { components } }: PageProps) {
  const rows = Object.entries(components.responses)
    .map(([name, answer]) => ({ status: name.replace(/\D/g, ""), answer }))
    .toSorted((one, other) => Number(one.status) - Number(other.status));
  return (
    <div class="ref-cols">
      <div class="stack">
        <Marked text={REFUSALS_TEXT} />
        {rows.map(({ status, answer }) => (
          <section key={status} class="card" id={`refused-${status}`} tabIndex={-1}>
            <header>
              <h3>
                {status} {reasonOf(answer)}
              </h3>
            </header>
            <div class="pad">
              <Marked text={answer.description.split("\n\n").slice(1).join("\n\n")} />
            </div>
          </section>
        ))}
      </div>
      <div class="stack">
        <JsonCard title="Answer 400" value={REFUSED} />
      </div>
    </div>
  );
}

export function SchemasPage({ document: { components } }: PageProps) {
  return (
    <>
      <Marked text={SCHEMAS_TEXT} />
      <ul class="card list names">
        {Object.keys(components.schemas).map((name) => (
          <li key={name}>
            <a class="link" href={`#${schemaId(name)}`}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

export function SchemaPage({ document, name }: PageProps & { readonly name: string }) {
  const schema = document.components.schemas[name]!;
  return (
    <div class="ref-cols">
      <div class="stack">
        <section class="card">
          <header>
            <h3>Members</h3>
          </header>
          <Members schema={schema} document={document} />
        </section>
      </div>
      <div class="stack">
        <JsonCard title="Example" value={exampleOf(schema, document)} />
      </div>
    </div>
  );
}

const SHELL =
  'export POSTRIDER_URL="https://postrider.example.com"\nexport POSTRIDER_TOKEN="..."\n\ncurl "$POSTRIDER_URL/healthz"';
const TOKEN_CALL =
  'curl "$POSTRIDER_URL/v2/account" \\\n  -H "Authorization: Bearer $POSTRIDER_TOKEN"';
const BASIC_CALL = 'curl "$POSTRIDER_URL/v2/svc/users" \\\n  -u "admin:$POSTRIDER_ADMIN_PASSWORD"';
const HEADERS_TEXT =
  "Headers that set how a message is sent. Each may have the prefix `Svc-` or `Upstash-`, one prefix in a request. You can send them as query parameters too, in lower case: `svc-retries=3`. Headers that begin with `Svc-Forward-` are sent to the destination without that prefix.";
const REFUSALS_TEXT =
  "A request that is refused stores nothing. The answer says why, in a sentence and a code.";
const SCHEMAS_TEXT =
  "Objects that answers share. Members that are not marked as required are left out where they have no value.";
const REFUSED = {
  error: "Svc-Delay: is not a duration",
  code: "invalid-request",
  field: "Svc-Delay",
};
