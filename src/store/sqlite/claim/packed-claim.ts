import type { ClaimRequest, HostShare } from "../../store.ts";
import { HeardMap, type MapNews, ToldMap } from "./map-news.ts";

/** A claim as it is sent to another thread: of what is known of hosts only what has changed. */
export interface PackedClaim extends Omit<ClaimRequest, "hostSlots" | "hostShares"> {
  readonly slotNews?: MapNews<number>;
  readonly shareNews?: MapNews<HostShare>;
}

export class ClaimPacker {
  readonly #slots = new ToldMap<number>();
  readonly #shares = new ToldMap<HostShare>();

  pack({ hostSlots, hostShares, ...rest }: ClaimRequest): PackedClaim {
    return {
      ...rest,
      ...(hostSlots && { slotNews: this.#slots.newsOf(hostSlots) }),
      ...(hostShares && { shareNews: this.#shares.newsOf(hostShares) }),
    };
  }

  /** The claim may not have been unpacked: the next one tells all. */
  failed(): void {
    this.#slots.forget();
    this.#shares.forget();
  }
}

export class ClaimUnpacker {
  readonly #slots = new HeardMap<number>();
  readonly #shares = new HeardMap<HostShare>();

  unpack({ slotNews, shareNews, ...rest }: PackedClaim): ClaimRequest {
    return {
      ...rest,
      ...(slotNews && { hostSlots: this.#slots.hear(slotNews) }),
      ...(shareNews && { hostShares: this.#shares.hear(shareNews) }),
    };
  }
}
