import type { Schema } from "../../wire/json/schema.ts";
import type { Route } from "../http/call.ts";
import { answerPage } from "./static-page.ts";

/** The endpoints that describe the others. */
export const REFERENCE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/openapi.json",
    title: "OpenAPI document",
    needs: "open",
    handler: ({ reference }, { request }) => answerPage(reference.openApi, request),
    says: "This API as an OpenAPI 3.1 document.",
    answers: { 200: { type: "object" } satisfies Schema },
  },
  {
    method: "GET",
    path: "/docs",
    title: "API reference",
    needs: "open",
    handler: ({ reference }, { request }) => answerPage(reference.docs, request),
    says: "The same as a page for people.",
    answers: { 200: { type: "string", contentMediaType: "text/html" } },
  },
  {
    method: "GET",
    path: "/docs/style.css",
    title: "Style sheet",
    needs: "open",
    handler: ({ reference }, { request }) => answerPage(reference.style, request),
    says: "The style sheet of that page.",
    answers: { 200: { type: "string", contentMediaType: "text/css" } },
  },
];
