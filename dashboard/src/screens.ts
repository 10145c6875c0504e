/** Which screen a path shows. A new screen is one row here. */
import type { ComponentType } from "preact";
import type { ScreenProps } from "./app/screen-props.ts";
import { lazyScreen } from "./shell/lazy-screen.tsx";
import { LoginScreen } from "./account/login-screen.tsx";
import { SettingsScreen } from "./account/settings-screen.tsx";
import { FlowScreen } from "./line/flow-screen.tsx";
import { GroupScreen } from "./url-group/group-screen.tsx";
import { GroupsScreen } from "./url-group/groups-screen.tsx";
import { DeadScreen } from "./dead-letter/dead-screen.tsx";
import { MessageScreen } from "./message/message-screen.tsx";
import { MessagesScreen } from "./message/messages-screen.tsx";
import { AccountScreen } from "./account/account-screen.tsx";
import { AccountsScreen } from "./account/accounts-screen.tsx";
import { OverviewScreen } from "./overview/overview-screen.tsx";
import { ScheduleScreen } from "./schedule/schedule-screen.tsx";
import { SchedulesScreen } from "./schedule/schedules-screen.tsx";
import { RunScreen } from "./workflow/run-screen.tsx";
import { RunsScreen } from "./workflow/runs-screen.tsx";

interface ScreenRow {
  /** `:id` is the rest of the path. */
  readonly path: string;
  readonly screen: ComponentType<ScreenProps>;
  /** Who has this screen; an account when absent, and with `all` also who is not signed in. */
  readonly isFor?: "operator" | "both" | "all";
}

const ReferenceScreen = lazyScreen("API reference", async () => {
  const { ReferenceScreen: screen } = await import("./reference/reference-screen.tsx");
  return screen;
});

export const SCREENS: readonly ScreenRow[] = [
  { path: "/", screen: OverviewScreen },
  { path: "/messages", screen: MessagesScreen },
  { path: "/messages/:id", screen: MessageScreen },
  { path: "/schedules", screen: SchedulesScreen },
  { path: "/schedules/:id", screen: ScheduleScreen },
  { path: "/flow", screen: FlowScreen },
  { path: "/groups", screen: GroupsScreen },
  { path: "/groups/:id", screen: GroupScreen },
  { path: "/settings", screen: SettingsScreen, isFor: "both" },
  { path: "/accounts", screen: AccountsScreen, isFor: "operator" },
  { path: "/accounts/:id", screen: AccountScreen, isFor: "operator" },
  { path: "/login", screen: LoginScreen, isFor: "both" },
  { path: "/runs", screen: RunsScreen },
  { path: "/runs/:id", screen: RunScreen },
  { path: "/dead", screen: DeadScreen },
  { path: "/docs", screen: ReferenceScreen, isFor: "all" },
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

/** An account has no screens of the operator, and the operator none that show messages. */
export function isScreenFor({ isFor }: ScreenRow, isOperator: boolean): boolean {
  return isFor === "both" || isFor === "all" || (isFor === "operator") === isOperator;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
