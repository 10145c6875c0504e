import { type Methods, serveThread } from "../../../platform/thread.ts";
import { SqliteWriter } from "./writer.ts";

/** The main file of the writer thread. */
serveThread((path) => new SqliteWriter(path) as object as Methods);
