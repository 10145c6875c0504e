/** Which screen a path shows. A new screen is one row here. */
import type { ComponentType } from "preact";
import type { ScreenProps } from "./screen-props.ts";
import { LoginScreen } from "../account/login-screen.tsx";
import { MessageScreen } from "../message/message-screen.tsx";
import { MessagesScreen } from "../message/messages-screen.tsx";
import { OverviewScreen } from "../overview/overview-screen.tsx";

interface ScreenRow {
  /** `:id` is the rest of the path. */
  readonly path: string;
  readonly screen: ComponentType<ScreenProps>;
}

export const SCREENS: readonly ScreenRow[] = [
  { path: "/", screen: OverviewScreen },
  { path: "/messages", screen: MessagesScreen },
  { path: "/messages/:id", screen: MessageScreen },
  { path: "/login", screen: LoginScreen },
];

export function screenOf(path: string): { readonly row: ScreenRow; readonly id: string } | null {
  for (const row of SCREENS) {
    if (row.path === path) return { row, id: "" };
    const fixed = row.path.endsWith(":id") ? row.path.slice(0, -":id".length) : null;
    if (fixed !== null && path.startsWith(fixed) && path.length > fixed.length) {
      return { row, id: decoded(path.slice(fixed.length)) };
    }
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
