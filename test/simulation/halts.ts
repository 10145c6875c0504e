import type { Sent } from "./ledger.ts";
import type { World } from "./node.ts";

interface Halt {
  readonly accountId: string;
  readonly from: number;
  until: number | null;
}

/** Accounts whose deliveries an operator pauses for a while, and resumes. */
export class Halts {
  readonly all: Halt[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  isHalted(accountId: string): boolean {
    return this.all.some((halt) => halt.accountId === accountId && halt.until === null);
  }

  async turn(accountId: string): Promise<void> {
    const { store, time, chance } = this.#world;
    const at = time.now;
    const open = this.all.find((halt) => halt.accountId === accountId && halt.until === null);
    const isHalted = open === undefined;
    const by = chance.happens(0.5) ? { isPaused: isHalted } : { isSuspended: isHalted };
    const fields = isHalted ? by : { isPaused: false, isSuspended: false };
    await store.act({ rule: "change-account", at, accountId, fields });
    if (open === undefined) {
      this.all.push({ accountId, from: at, until: null });
      return;
    }
    open.until = at;
    const lines = await store.reader.lines.names(accountId, "", 1_000);
    await store.act({ rule: "make-lines-due", at, accountId, lines });
  }

  async resumeAll(): Promise<void> {
    for (const { accountId, until } of this.all) {
      if (until === null) await this.turn(accountId);
    }
  }

  /** What was sent while nothing of its account was to be. */
  violations(sent: readonly Sent[]): string[] {
    return sent
      .filter(({ accountId, at }) =>
        this.all.some(
          (halt) =>
            halt.accountId === accountId &&
            at > halt.from + ON_THE_WAY_MS &&
            at < (halt.until ?? Infinity),
        ),
      )
      .map(
        ({ messageId, accountId, at }) => `${messageId} of halted ${accountId} was sent at ${at}`,
      );
  }
}

/** What was leased before may just be on its way. */
const ON_THE_WAY_MS = 20;
