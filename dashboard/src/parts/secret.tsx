/** A secret: masked until it is shown. A read-only session may not show it. */
import { useState } from "preact/hooks";
import { isReadOnly } from "../app/session.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

export function Secret({ value, what }: { readonly value: string; readonly what: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <span class="row">
      <code class="cut">{isShown ? value : MASK}</code>
      {isReadOnly.value ? null : (
        <>
          <Button
            isSmall
            kind="quiet"
            label={`${isShown ? "Hide" : "Show"} ${what}`}
            onPress={() => setShown(!isShown)}
          >
            {isShown ? "Hide" : "Show"}
          </Button>
          <CopyButton text={value} what={what} />
        </>
      )}
    </span>
  );
}

const MASK = "••••••••••••";
