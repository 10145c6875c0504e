import type { Settings } from "../../config/settings.ts";
import { createIds } from "../../platform/ids.ts";
import { createLogger } from "../../platform/logger.ts";
import { openStore, secretKeysFor } from "../../service.ts";

/** `postrider migrate`: opening a store migrates its schema. */
export async function migrate(settings: Settings): Promise<void> {
  const log = createLogger("pretty");
  for (const warning of settings.warnings) log.warn(warning);
  const store = await openStore(settings, { log, onFatal }, () => {
    if (settings.databaseUrl === undefined) secretKeysFor(settings, createIds());
  });
  await store.close();
  process.stdout.write("The schema is up to date.\n");
}

function onFatal(error: Error): never {
  throw error;
}
