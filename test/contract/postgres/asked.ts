/** Keeps track of what a client asks on a connection, by the messages that go by. */
export class Asked {
  /** Statements asked and answered since the transaction began. */
  count = 0;
  answered = 0;
  /** The last one was a COMMIT. */
  isCommit = false;
  readonly #open: ("text" | "execution")[] = [];
  /** Statements that the server keeps, by name. */
  readonly #texts = new Map<string, string>();

  /** Whether the message has a statement carried out. */
  hear(type: string, bytes: Buffer): boolean {
    if (type === "P") {
      const [name = "", text = ""] = textsOf(bytes);
      this.#texts.set(name, text);
    }
    if (type === "B") this.#hearText(this.#texts.get(textsOf(bytes)[1] ?? "") ?? "");
    if (type !== "Q" && type !== "E") return false;
    if (type === "Q") this.#hearText(textsOf(bytes)[0] ?? "");
    this.count += 1;
    this.#open.push(type === "Q" ? "text" : "execution");
    return true;
  }

  /** Whether the message of the server is the end of an answer. */
  answer(type: string): boolean {
    const ends = this.#open[0] === "text" ? "Z" : "C";
    if (type !== ends || this.#open.length === 0) return false;
    this.#open.shift();
    this.answered += 1;
    return true;
  }

  #hearText(text: string): void {
    if (text.startsWith("BEGIN")) this.#begin();
    this.isCommit = text.startsWith("COMMIT");
  }

  /** What was skipped behind an error is never answered; a text sent right ahead still is. */
  #begin(): void {
    const ahead = this.#open.at(-1) === "text" ? 1 : 0;
    this.#open.splice(0, this.#open.length - ahead);
    this.count = 0;
    this.answered = -ahead;
  }
}

/** The texts at the beginning of a message, each of which a NUL ends. */
function textsOf(bytes: Buffer): string[] {
  return bytes.subarray(5).toString("latin1").split("\0", 2);
}
