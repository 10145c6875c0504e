/** A list could not be read: says so above it; what was read before stays. */
import { serverNow } from "../app/clock.ts";
import { clockText } from "../app/format.ts";
import type { Resource } from "../app/resource.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

interface LoadProblemProps {
  readonly of: Pick<Resource<unknown>, "error" | "readAt" | "reload">;
  /** `the schedules` */
  readonly what: string;
}

/** An absent server has a notice of its own. */
export function LoadProblem({ of, what }: LoadProblemProps) {
  const { error, readAt, reload } = of;
  if (error === null || error.status === 0) return null;
  return (
    <Notice
      title={`Cannot read ${what}.`}
      actions={
        <Button isSmall onPress={reload}>
          Try again
        </Button>
      }
    >
      {error.message}.{" "}
      {readAt === null ? "" : `What you see is from ${clockText(readAt, serverNow())}.`}
    </Notice>
  );
}
