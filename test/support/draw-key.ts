/** A program that keeps a secret key in the folder of its argument, and prints it. */
import { keepSecretKey } from "../../src/config/secret-key-file.ts";
import { createIds } from "../../src/platform/ids.ts";

process.stdout.write(keepSecretKey(process.argv[2]!, createIds(), false));
