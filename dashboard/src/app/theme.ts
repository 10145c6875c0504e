/** Light or dark: the system's choice until the reader makes one. */
import { computed, signal } from "@preact/signals";

const NAME = "postrider.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const chosen = signal(localStorage.getItem(NAME));

/** Changes with the colors, so that what draws on a canvas draws again. */
export const theme = signal(themeNow());

function themeNow(): "light" | "dark" {
  if (chosen.value === "light" || chosen.value === "dark") return chosen.value;
  return system.matches ? "dark" : "light";
}

export type ThemeChoice = "system" | "light" | "dark";

/** What the reader chose. */
export const themeChoice = computed((): ThemeChoice =>
  chosen.value === "light" || chosen.value === "dark" ? chosen.value : "system",
);

export function chooseTheme(choice: ThemeChoice): void {
  chosen.value = choice === "system" ? null : choice;
  if (choice === "system") localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, choice);
  apply();
}

function apply(): void {
  const { dataset } = document.documentElement;
  if (chosen.value === null) delete dataset["theme"];
  else dataset["theme"] = chosen.value;
  theme.value = themeNow();
}

export function switchTheme(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(NAME, chosen.value);
  apply();
}

/** The value of a color token, as a canvas understands it. */
export function colorOf(token: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  apply();
}
