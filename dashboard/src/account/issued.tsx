/** Secrets that the server shows once: they stay until the reader says that they are copied. */
import type { Account } from "../../../sdk/src/answers/account.ts";
import { Button } from "../parts/button.tsx";
import { copyText } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";

export interface Issued {
  readonly title: string;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  /** What holds for the old ones. */
  readonly note: string;
}

/** The answer of a rotation, or of a new account. */
export type IssuedAccount = Required<Account>;

export function secretsOf(answer: IssuedAccount): Issued["secrets"] {
  return [
    { name: "Token", value: answer.token },
    { name: "Read-only token", value: answer.read_only_token },
    { name: "Password", value: answer.password },
  ];
}

interface IssuedCardProps {
  readonly issued: Issued;
  readonly onCopied: () => void;
}

export function IssuedCard({ issued, onCopied }: IssuedCardProps) {
  const { title, secrets, note } = issued;
  return (
    <article class="card issued">
      <header>
        <h2 class="cut">{title}</h2>
        <span class="warn small row">
          <Icon name="alert" />
          Shown once. Copy {secrets.length === 1 ? "it" : "them"} now.
        </span>
      </header>
      <ul class="list">
        {secrets.map(({ name, value }) => (
          <li key={name}>
            <span class="grow cut">
              <b>{name}</b> <code class="muted">{value}</code>
            </span>
            <Button
              isSmall
              icon="copy"
              label={`Copy ${name.toLowerCase()}`}
              onPress={() => void copyText(value, name)}
            >
              Copy
            </Button>
          </li>
        ))}
      </ul>
      <div class="more">
        <span>{note}</span>
        <Button isSmall onPress={onCopied}>
          {secrets.length === 1 ? "I have copied it" : "I have copied them"}
        </Button>
      </div>
    </article>
  );
}
