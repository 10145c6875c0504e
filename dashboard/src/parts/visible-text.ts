/** Characters that turn the direction of a text are shown by their number, so that no text looks like another. */
export function visibleText(text: string): string {
  return text.replaceAll(TURNING, (character) => {
    const number = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    return `\u27E8U+${number}\u27E9`;
  });
}

/** Marks, embeddings, overrides and isolates. */
const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
