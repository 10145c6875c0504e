/** Runs the same journeys over every store. */
import { after, before, describe } from "node:test";
import { DestinationServer } from "./destination-server.ts";
import { postgresMissing } from "./postgres-url.ts";
import { type HarnessOptions, type StoreKind, TestService } from "./service-harness.ts";

export interface Journey {
  /** Started before the first test of the file, and stopped after the last. */
  service: TestService;
  destination: DestinationServer;
}

/** Defines tests once for each store; what they use is started around them. */
export function journeys(
  title: string,
  options: HarnessOptions,
  define: (journey: Journey) => void,
): void {
  for (const store of STORES) {
    const skip = store === "postgres" ? postgresMissing() : false;
    describe(`${title} (${store})`, { skip }, () => {
      const journey = {} as Journey;
      before(async () => {
        journey.destination = await DestinationServer.start();
        journey.service = await TestService.start({ ...options, store });
      });
      after(async () => {
        await journey.service?.stop();
        await journey.destination?.close();
      });
      define(journey);
    });
  }
}

const STORES: readonly StoreKind[] = ["sqlite", "postgres"];
