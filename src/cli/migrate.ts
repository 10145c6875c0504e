import type { Settings } from "../config/settings.ts";
import { createLogger } from "../platform/logger.ts";
import { openStore } from "../service.ts";

/** `postrider migrate`: opening a store brings it up to date. */
export async function migrate(settings: Settings): Promise<void> {
  const log = createLogger("pretty");
  const store = await openStore(settings, {
    log,
    onFatal: (error) => {
      throw error;
    },
  });
  await store.close();
  process.stdout.write("The schema is up to date.\n");
}
