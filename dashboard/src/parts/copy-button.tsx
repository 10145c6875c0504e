/** Copies a text and says so. */
import { announce } from "../app/announce.ts";
import { Button } from "./button.tsx";

export async function copyText(text: string, what: string, note?: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(note === undefined ? `${what} copied.` : `${what} copied. ${note}`);
  } catch {
    announce(`The browser did not let us copy. Select the text and copy it by hand.`);
  }
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const label = `Copy ${what}`;
  return (
    <Button
      icon="copy"
      kind="quiet"
      isSmall
      label={label}
      onPress={() => void copyText(text, capital(what))}
    />
  );
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
