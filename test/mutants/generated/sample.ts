import { createHash } from "node:crypto";

/** The items in an order that the seed and the name of each decide, so that an edit elsewhere does not change it. */
export function shuffled<Item>(
  items: readonly Item[],
  seed: number,
  nameOf: (item: Item) => string,
): Item[] {
  return items
    .map((item) => ({ item, rank: rankOf(`${seed} ${nameOf(item)}`) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)))
    .map(({ item }) => item);
}

function rankOf(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}
