/** The process of `postrider backup` that copies SQLite. It makes one copy and ends. */
import { type Backup, type NewBackup, writeBackup } from "../../store/sqlite/upkeep/backup.ts";

export interface CopyQuestion extends NewBackup {
  readonly source: string;
  readonly draft: string;
}

/** An error loses its class and its members on the way. */
export type CopyAnswer =
  | { readonly backup: Backup }
  | { readonly error: { readonly message: string; readonly errcode: number | undefined } };

process.once("message", (question) => {
  process.send!(answerTo(question as CopyQuestion), () => process.disconnect());
});

function answerTo({ source, draft, ...facts }: CopyQuestion): CopyAnswer {
  try {
    return { backup: writeBackup(source, draft, facts) };
  } catch (error) {
    const { message, errcode } = error as { message: string; errcode?: number };
    return { error: { message, errcode } };
  }
}
