import { bodyReader } from "./json/schema-reader.ts";
import {
  choice,
  closedObject,
  flag,
  inlineObject,
  instant,
  integer,
  list,
  object,
  text,
  type TypeOf,
  withDefault,
  withKeywords,
} from "./json/schema.ts";

const count = (says: string, maximum: number, minimum = 1) =>
  withKeywords(integer(says), { minimum, maximum });
const FROM = withKeywords(instant("From when on. Default: now."), {
  minimum: 0,
  maximum: Date.UTC(2200, 0),
});
const TAKES = "How long an answer takes, such as `200ms` or `2s`.";

const MESSAGE = closedObject(
  {},
  {
    retries: withDefault(5, count("Retries after the first attempt. Default: 5.", 100, 0)),
    retryDelay: text("As `Svc-Retry-Delay`.", "1000 * pow(2, retried)"),
    answers: withDefault(
      [{ status: 500 }],
      withKeywords(
        list(
          closedObject(
            { status: withKeywords(integer("0 for no answer."), { minimum: 0, maximum: 599 }) },
            { retryAfter: text("Its `Retry-After`.", "120") },
          ),
          "The answers to the attempts, in their order; the last one repeats. Default: 500.",
        ),
        { minItems: 1, maxItems: 100 },
      ),
    ),
    takes: withDefault("0s", text(TAKES)),
    from: FROM,
  },
);
const SCHEDULE = closedObject(
  { cron: text("The expression.", "CRON_TZ=Europe/Paris 30 2 * * *") },
  { count: withDefault(5, count("How many times. Default: 5.", 100)), from: FROM },
);
const LINE = closedObject(
  { messages: count("Messages that are there at the beginning.", 10_000) },
  {
    parallelism: count("Attempts at once. Default: no limit.", 1_000_000),
    rate: count("Attempts that may start in a period. Default: no limit.", 1_000_000),
    period: withDefault("1s", text("The period of the rate. Default: 1s.")),
    takes: withDefault(
      ["1s"],
      withKeywords(list(text(), `${TAKES} Several are used in turn. Default: 1s.`), {
        minItems: 1,
        maxItems: 100,
      }),
    ),
  },
);
/** Exactly one of them. */
export const SIMULATION_REQUEST = closedObject(
  {},
  { message: MESSAGE, schedule: SCHEDULE, line: LINE },
);
export const SIMULATION_BYTES_MAX = 16 * 1024;

export const SIMULATION = object(
  "Simulation",
  {},
  {
    attempts: list(
      inlineObject({
        attempt: integer("1 for the first."),
        status: integer("Its answer; 0 for none."),
        result: choice(["delivered", "retry", "dead"], "What follows from the answer."),
        earliestAt: instant("When it begins at the earliest."),
        latestAt: instant("The default backoff is lengthened by chance: at the latest then."),
      }),
      "The attempts of the message.",
    ),
    times: list(
      inlineObject({
        at: instant("When it fires."),
        offsetMinutes: integer("How far the clocks of the zone are ahead of UTC then.", 120),
        isAfterChange: flag("They have changed since the time before.", false),
      }),
      "The times of the schedule.",
    ),
    line: inlineObject({
      drainedAfterMs: integer("When the last message has its answer, in milliseconds."),
      atOnceMax: integer("The most attempts in progress at once."),
      rows: list(
        inlineObject({
          message: integer("1 for the first."),
          startsAfterMs: integer("When it is sent, in milliseconds."),
          endsAfterMs: integer("When it has its answer, in milliseconds."),
        }),
        "At most 20 messages, evenly chosen, with the first and the last.",
      ),
    }),
  },
);

export type SimulationRequest = TypeOf<typeof SIMULATION_REQUEST>;
export const readSimulation = bodyReader(SIMULATION_REQUEST, SIMULATION_BYTES_MAX);
