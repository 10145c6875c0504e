import { readdirSync, readFileSync } from "node:fs";

/** The processes that this one has started, and those that they have started; none where only Linux tells. */
export function descendantsOf(pid: number): number[] {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []).map(({ pid: id }) => id));
  return found.slice(1);
}

interface ProcessOfTree {
  readonly pid: number;
  readonly parent: number;
}

function processes(): ProcessOfTree[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const afterName = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)!;
        return [{ pid: Number(name), parent: Number(afterName.split(" ")[1]) }];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}
