interface Owner {
  /** Work that it has begun and that later turns pay for. */
  debt: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly weight: number;
  /** The lowest goes first, and of equal ones the first to come. */
  readonly ticket: number;
  readonly giveUpAt: number;
  /** True when its turn came, false when it has waited too long. */
  readonly resolve: (isTurn: boolean) => void;
  isOver: boolean;
}

/**
 * Shares the turns of the event loop between owners. While several are active, each may begin a
 * little work in a turn, and what it has begun beyond that it pays back in later turns. So a flood
 * waits behind itself, and the work of the others comes up in the next turn. An owner alone never
 * waits, and where others have nothing to do the turns pass quickly. After a long turn, whatever
 * made it long, more may begin: else a slow machine would do less and less.
 */
export class FairTurns {
  readonly #owners = new Map<string, Owner>();
  /** Callers that give up, the longest waiting first. */
  readonly #impatient: Waiting[] = [];
  #lastOwner = "";
  #lastTicket = 0;
  #turn = 0;
  #sharedUntil = 0;
  #isScheduled = false;
  #turnBeganAt = 0;
  /** When the first piece of this turn began that asked whether it is long. */
  #piecesBeganAt: number | null = null;
  /** How much work of weight 1 an owner may begin in this turn. */
  #share = SHARE_MIN;
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  /** Whether several owners were active lately. */
  get isShared(): boolean {
    return this.#turn < this.#sharedUntil;
  }

  /**
   * Whether work in many pieces should continue in the next turn: its pieces, of all owners together, have taken
   * long in this one, and a caller who has no owner waits for its end.
   */
  get isLong(): boolean {
    const nowMs = this.#monotonicMs();
    if (this.#piecesBeganAt === null) {
      this.#piecesBeganAt = nowMs;
      setImmediate(() => (this.#piecesBeganAt = null));
    }
    return nowMs - this.#piecesBeganAt >= PIECES_MS_MAX;
  }

  /**
   * For work that enters in many pieces: those with a ticket go before other work of the owner, and
   * in the order of the tickets. So what has begun ends, whatever waits behind it.
   */
  drawTicket(): number {
    return ++this.#lastTicket;
  }

  /**
   * Null when the work may begin at once. The weight of a small piece of work is 1. A caller who is
   * answered gives up after a time, and is told so by false.
   */
  enter(name: string, weight = 1, isAnswered = false, ticket = NO_TICKET): Promise<boolean> | null {
    if (name !== this.#lastOwner) {
      if (this.#lastOwner !== "") this.#sharedUntil = this.#turn + SHARED_TURNS;
      this.#lastOwner = name;
    }
    if (!this.isShared) return null;
    const owner = this.#owners.get(name) ?? { debt: 0, waiting: [] };
    this.#owners.set(name, owner);
    this.#schedule();
    const [next] = owner.waiting;
    const isNext = next === undefined || ticket < next.ticket;
    if (!isNext || owner.debt >= this.#share) {
      return new Promise((resolve) => {
        const giveUpAt = this.#monotonicMs() + WAIT_MS_MAX;
        const waiting = { weight, ticket, giveUpAt, resolve, isOver: false };
        insert(owner.waiting, waiting);
        if (isAnswered) this.#impatient.push(waiting);
      });
    }
    owner.debt += weight;
    return null;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#turnBeganAt = this.#monotonicMs();
    setImmediate(() => {
      this.#isScheduled = false;
      this.#beginTurn();
    });
  }

  #beginTurn(): void {
    this.#turn += 1;
    const lastedMs = this.#monotonicMs() - this.#turnBeganAt;
    this.#share = Math.max(SHARE_MIN, Math.floor((lastedMs * WEIGHT_PER_MS) / this.#owners.size));
    for (const [name, owner] of this.#owners) {
      owner.debt = Math.max(0, owner.debt - this.#share);
      while (owner.waiting.length > 0 && owner.debt < this.#share) {
        const waiting = owner.waiting.shift()!;
        if (waiting.isOver) continue;
        owner.debt += waiting.weight;
        end(waiting, true);
        // What is left of this turn is for the next pieces of the same work.
        if (waiting.ticket !== NO_TICKET) break;
      }
      if (owner.debt === 0) this.#owners.delete(name);
    }
    this.#giveUp();
    if (this.#owners.size > 0) this.#schedule();
  }

  #giveUp(): void {
    const nowMs = this.#monotonicMs();
    for (let [first] = this.#impatient; first !== undefined; [first] = this.#impatient) {
      if (!first.isOver && first.giveUpAt > nowMs) return;
      this.#impatient.shift();
      if (!first.isOver) end(first, false);
    }
  }
}

function insert(all: Waiting[], waiting: Waiting): void {
  if (waiting.ticket === NO_TICKET) return void all.push(waiting);
  const index = all.findIndex(({ ticket }) => ticket > waiting.ticket);
  all.splice(index < 0 ? all.length : index, 0, waiting);
}

function end(waiting: Waiting, isTurn: boolean): void {
  waiting.isOver = true;
  waiting.resolve(isTurn);
}

/** The weight of work on so many bytes. More than a few megabytes weigh no more: a caller may claim any number. */
export function weightOf(bytes: number): number {
  return 1 + Math.floor(Math.min(bytes, BYTES_WEIGHED_MAX) / BYTES_OF_WEIGHT);
}

const BYTES_OF_WEIGHT = 8 * 1024;
const BYTES_WEIGHED_MAX = 4 * 1024 * 1024;
const SHARE_MIN = 4;
const NO_TICKET = Infinity;
/** What is done after it leaves an answer within ten seconds. */
const WAIT_MS_MAX = 5_000;
/** A small part of what a core does in a millisecond: more would keep a long turn long. */
const WEIGHT_PER_MS = 1;
/** For so many turns after another owner was active there may be more of its work. */
const SHARED_TURNS = 2_000;
/** What pieces of work may take of a turn. */
const PIECES_MS_MAX = 5;
