/** What was announced last, at the lower edge. */
import { announcement } from "../app/announce.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

function close(): void {
  announcement.value = null;
}

export function Toasts() {
  const said = announcement.value;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {said === null ? null : (
        <div class={`toast ${said.isFailure ? "failure" : ""}`}>
          <Icon name={said.isFailure ? "alert" : "check"} />
          <span class="grow">{said.sentence}</span>
          {said.undo === undefined ? null : (
            <Button
              isSmall
              onPress={() => {
                said.undo?.();
                close();
              }}
            >
              Undo
            </Button>
          )}
          {said.isFailure ? (
            <Button isSmall kind="quiet" icon="x" label="Close" onPress={close} />
          ) : null}
        </div>
      )}
    </div>
  );
}
