type Methods = Record<string, (...args: never[]) => unknown>;

/** Notes which methods of some objects are called, on whichever object of their class. */
export function recordCalls(objects: Readonly<Record<string, object>>): RecordedCalls {
  const called = new Set<string>();
  const all: string[] = [];
  const restore: (() => void)[] = [];
  for (const [name, object] of Object.entries(objects)) {
    const prototype = prototypeOf(object);
    for (const method of methodsOf(prototype)) {
      const original = prototype[method]!;
      const label = `${name}.${method}`;
      all.push(label);
      prototype[method] = function record(this: unknown, ...args: never[]) {
        called.add(label);
        return original.apply(this, args);
      };
      restore.push(() => (prototype[method] = original));
    }
  }
  return {
    never: () => all.filter((label) => !called.has(label)),
    stop: () => restore.forEach((each) => each()),
  };
}

export interface RecordedCalls {
  /** The methods that were never called. */
  never(): string[];
  stop(): void;
}

function prototypeOf(object: object): Methods {
  const isPrototype = Object.hasOwn(object, "constructor");
  return (isPrototype ? object : Object.getPrototypeOf(object)) as Methods;
}

function methodsOf(prototype: Methods): string[] {
  const all = Object.getOwnPropertyDescriptors(prototype);
  return Object.keys(all).filter(
    (name) => name !== "constructor" && typeof all[name]?.value === "function",
  );
}
