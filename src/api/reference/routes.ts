import type { Schema } from "../../wire/json/schema.ts";
import type { Route } from "../http/server/call.ts";
import { answerFile } from "../http/answers/static-file.ts";

/** The endpoint that describes the others. The dashboard shows it at `/docs`. */
export const REFERENCE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/openapi.json",
    title: "OpenAPI document",
    needs: "open",
    handler: ({ reference }, { request }) =>
      answerFile(reference.openApi, request, "public, max-age=300"),
    says: "This API as an OpenAPI 3.1 document. The page `/docs` shows it to people.",
    answers: { 200: { type: "object" } satisfies Schema },
  },
];
