import { Blank } from "../parts/blank.tsx";
import { Bar } from "./bar.tsx";

export function NoSuchScreen() {
  return (
    <>
      <Bar title="Not found" />
      <div class="body">
        <div class="card">
          <Blank icon="search" title="There is no such page">
            <span class="soft">The address may be mistyped, or from another version.</span>
            <a class="btn s" href="/">
              Go to the overview
            </a>
          </Blank>
        </div>
      </div>
    </>
  );
}
