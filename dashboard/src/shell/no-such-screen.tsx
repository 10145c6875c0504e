import { homePath, isOperator } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Bar } from "./bar.tsx";

export function NoSuchScreen() {
  return (
    <>
      <Bar title="Not found" />
      <div class="body">
        <div class="card">
          <Blank icon="search" title="There is no such page">
            <span class="soft">
              {isOperator.value
                ? "Signed in as the operator, you see accounts and nodes, and no messages."
                : "The address may be mistyped, or from another version."}
            </span>
            <a class="btn s" href={homePath.value}>
              {isOperator.value ? "Go to the accounts" : "Go to the overview"}
            </a>
          </Blank>
        </div>
      </div>
    </>
  );
}
