/** The screens in the menu. */
import type { IconName } from "../parts/icon.tsx";

export interface MenuItem {
  readonly name: string;
  readonly href: string;
  readonly icon: IconName;
  /** The limit whose use is shown beside the name. */
  readonly counts?: string;
  readonly isAlarming?: boolean;
  /** Who has it; both when absent, and with `all` also who is not signed in. */
  readonly isFor?: "operator" | "account" | "all";
}

export const MENU: readonly {
  readonly title: string | null;
  readonly items: readonly MenuItem[];
}[] = [
  { title: null, items: [{ name: "Overview", href: "/", icon: "overview", isFor: "account" }] },
  {
    title: "Traffic",
    items: [
      { name: "Messages", href: "/messages", icon: "message", isFor: "account" },
      { name: "Runs", href: "/runs", icon: "runs", isFor: "account" },
      {
        name: "Dead letters",
        href: "/dead",
        icon: "dlq",
        counts: "max_dlq_size",
        isAlarming: true,
        isFor: "account",
      },
    ],
  },
  {
    title: "Set up",
    items: [
      {
        name: "Schedules",
        href: "/schedules",
        icon: "clock",
        counts: "max_schedules",
        isFor: "account",
      },
      {
        name: "Queues and keys",
        href: "/flow",
        icon: "flow",
        isFor: "account",
      },
      {
        name: "URL groups",
        href: "/groups",
        icon: "groups",
        counts: "max_topics",
        isFor: "account",
      },
    ],
  },
  {
    title: "Account",
    items: [
      { name: "Accounts", href: "/accounts", icon: "users", isFor: "operator" },
      { name: "Settings", href: "/settings", icon: "settings" },
    ],
  },
  {
    title: "Help",
    items: [{ name: "API reference", href: "/docs", icon: "code", isFor: "all" }],
  },
];

export function isCurrent(href: string, path: string): boolean {
  return href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
}
