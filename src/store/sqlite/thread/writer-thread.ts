import { serveThread } from "../../../platform/thread.ts";
import { writingMethods } from "./writing-methods.ts";

/** The main file of the writer thread. */
serveThread(writingMethods);
