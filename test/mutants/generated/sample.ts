/** The items in an order that the seed alone decides. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const order = [...items];
  let state = seed >>> 0;
  for (let last = order.length - 1; last > 0; last--) {
    // xorshift32; a state of zero would stay zero.
    state = (state || 0x9e3779b9) >>> 0;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
