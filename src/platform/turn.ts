/** Resolves after the callbacks that are already queued in the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
