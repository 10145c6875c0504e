/** What can be done with a message: cancel, copy as a command, edit, send again. */
import { useState } from "preact/hooks";
import type { Message } from "../../../sdk/src/answers/message.ts";
import { call } from "../app/api.ts";
import { useKeys } from "../app/keys.ts";
import { navigate } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { announce, announceFailure } from "../app/announce.ts";
import { publishCurl, publishTypeScript } from "./commands.ts";
import type { MessageLife } from "./message-life.ts";
import { copyText } from "../parts/copy-button.tsx";
import { OverflowMenu } from "../parts/overflow-menu.tsx";
import { copyCommand } from "./copy-command.ts";
import { isRedacted, publish, publishOf } from "./publish.ts";
import { SendDialog } from "./send-dialog.tsx";

interface MessageActionsProps {
  readonly message: Message;
  readonly life: MessageLife;
}

export function MessageActions({ message, life }: MessageActionsProps) {
  const [isEditing, setEditing] = useState(false);
  const readOnly = isReadOnly.value ? "You are signed in with a read-only token" : null;
  const whyNoSend =
    readOnly ??
    (isRedacted(message) ? "A part of it is redacted, so it cannot be sent from here" : null);
  const whyNoAgain = whyNoSend ?? whyNotAgain(life);
  const again = (): Promise<void> => sendAgain(message);
  const curl = (): Promise<void> =>
    copyCommand((token) => publishCurl(window.location.origin, token, publishOf(message)));
  const typeScript = (): void => void copyText(publishTypeScript(publishOf(message)), "The code");
  useKeys({
    r: () => whyNoAgain === null && void again(),
    e: () => whyNoSend === null && setEditing(true),
    c: () => void curl(),
  });
  return (
    <>
      <Button
        kind="quiet"
        icon="x"
        whyNot={readOnly ?? whyNoCancel(life)}
        onPress={() => cancel(message.messageId)}
      >
        Cancel
      </Button>
      <span class="split hide-m">
        <Button icon="copy" onPress={() => void curl()}>
          Copy as curl
        </Button>
        <Button label="Copy as TypeScript" onPress={typeScript}>
          TypeScript
        </Button>
      </span>
      <Button icon="edit" class="hide-s" whyNot={whyNoSend} onPress={() => setEditing(true)}>
        Edit and send
      </Button>
      <Button kind="primary" icon="retry" shortcut="r" whyNot={whyNoAgain} onPress={again}>
        Send again
      </Button>
      <OverflowMenu
        items={[
          { name: "Copy as curl", icon: "copy", onPress: () => void curl() },
          { name: "Copy as TypeScript", icon: "code", onPress: typeScript },
          {
            name: "Edit and send",
            icon: "edit",
            onPress: () => setEditing(true),
            whyNot: whyNoSend,
            isNarrow: true,
          },
        ]}
      />
      {isEditing ? (
        <SendDialog like={publishOf(message)} onClose={() => setEditing(false)} onSent={open} />
      ) : null}
    </>
  );
}

async function sendAgain(message: Message): Promise<void> {
  try {
    open(await publish(publishOf(message)));
  } catch (error) {
    announceFailure("The message was not sent again.", error);
  }
}

function open(id: string): void {
  announce("Sent as a new message.");
  navigate(`/messages/${id}`);
}

/** A copy beside a message that is still on its way would arrive twice. */
function whyNotAgain({ state }: MessageLife): string | null {
  return ENDED.has(state) ? null : "It has not ended: it would be sent twice";
}

const ENDED: ReadonlySet<string> = new Set(["DELIVERED", "FAILED", "CANCELED"]);

function whyNoCancel({ state }: MessageLife): string | null {
  if (ENDED.has(state)) return "This message has ended";
  return state === "CANCEL_REQUESTED" ? "Cancel was requested already" : null;
}

async function cancel(id: string): Promise<void> {
  try {
    await call(`/v2/messages/${encodeURIComponent(id)}`, { method: "DELETE" });
    announce("Canceled. An attempt in progress may still end; no other follows.");
  } catch (error) {
    announceFailure("The message was not canceled.", error);
  }
}
