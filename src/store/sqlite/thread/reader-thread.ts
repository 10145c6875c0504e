import { serveThread } from "../../../platform/thread.ts";
import { openReader } from "./connection.ts";
import { readingMethods } from "./reading-methods.ts";

/** The main file of a reader thread. */
serveThread((path: string) => readingMethods(openReader(path)));
