/** The reference of the API, over the document that the server gives of itself. It needs no session. */
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { navigate, place } from "../app/router.ts";
import { useResource } from "../app/resource.ts";
import { session } from "../app/session.ts";
import { CodeSkeleton } from "../parts/code-view.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { ContentsList } from "./contents-list.tsx";
import { type View, viewOf } from "./contents.ts";
import type { OpenApi } from "./document.ts";
import { OperationView } from "./operation-view.tsx";
import {
  FeaturePage,
  HeadersPage,
  IntroductionPage,
  RefusalsPage,
  SchemaPage,
  SchemasPage,
} from "./pages.tsx";

export function ReferenceScreen() {
  const resource = useResource<OpenApi>("/openapi.json");
  const { value: document } = resource;
  const { hash } = place.value;
  const view = document === null ? null : viewOf(hash, document);
  const title = view === null ? NAME : titleOf(view);
  useKeys({ Escape: () => navigate(contentsHref()) });
  return (
    <>
      <Bar
        title={title === NAME ? NAME : `${title} · ${NAME}`}
        heading={NAME}
        beside={document === null ? null : <span class="tag">{document.info.version}</span>}
      >
        <a class="btn" href="/openapi.json">
          OpenAPI
        </a>
        {session.value === null ? (
          <a class="btn primary" href="/login">
            Sign in
          </a>
        ) : null}
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={resource} what="the reference" />
        {resource.isLoading ? <CodeSkeleton /> : null}
        {document === null || view === null ? null : (
          <div class={`ref ${hash === "" ? "" : "chosen"}`}>
            <ContentsList document={document} view={view} />
            <Article hash={hash} title={title} view={view} document={document} />
          </div>
        )}
      </div>
    </>
  );
}

interface ArticleProps {
  readonly hash: string;
  readonly title: string;
  readonly view: View;
  readonly document: OpenApi;
}

function Article({ hash, title, view, document }: ArticleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    const row = window.document.getElementById(hash);
    row?.scrollIntoView();
    if (row === null && !isFirst.current) window.scrollTo(0, 0);
    if (row !== null || !isFirst.current) (row ?? heading.current)?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [hash]);
  return (
    <article class="stack">
      <a class="btn s back" href={contentsHref()}>
        Contents
      </a>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <Shown view={view} document={document} />
    </article>
  );
}

function Shown({ view, document }: Pick<ArticleProps, "view" | "document">) {
  switch (view.kind) {
    case "operation":
      return <OperationView listed={view.listed} document={document} />;
    case "feature":
      return <FeaturePage name={view.name} document={document} />;
    case "schema":
      return <SchemaPage name={view.name} document={document} />;
    case "schemas":
      return <SchemasPage document={document} />;
    case "headers":
      return <HeadersPage document={document} />;
    case "refusals":
      return <RefusalsPage document={document} />;
    case "introduction":
      return <IntroductionPage document={document} />;
  }
}

function titleOf(view: View): string {
  if (view.kind === "operation") return view.listed.operation.summary;
  if (view.kind === "feature" || view.kind === "schema") return view.name;
  return `${view.kind.slice(0, 1).toUpperCase()}${view.kind.slice(1)}`;
}

/** The contents with the search that was made. */
function contentsHref(): string {
  return `${place.value.path}${window.location.search}`;
}

const NAME = "API reference";
