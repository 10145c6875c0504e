/** The first five minutes: a command that works as pasted, and what to try next. */
import { useEffect, useState } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { unreachableSince } from "../app/reachable.ts";
import { isReadOnly, knownToken, session } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { announceFailure } from "../app/announce.ts";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { type Publish, publishCurl, publishTypeScript } from "./commands.ts";
import { noteFirstMessage } from "./first-message.ts";
import { copyCommand, TOKEN_VARIABLE } from "./copy-command.ts";
import { publish } from "./publish.ts";
import { sampleRunStart } from "./sample-run.ts";

export function FirstMessage() {
  const { origin } = window.location;
  const [hasEcho, setEcho] = useState<boolean | null>(null);
  useEffect(() => {
    fetch("/echo/ready").then(
      ({ ok }) => setEcho(ok),
      () => setEcho(false),
    );
  }, []);
  const isAway = unreachableSince.value !== null;
  const target = hasEcho === false ? "https://example.com/hook" : `${origin}/echo/hello`;
  return (
    <>
      <Bar title="Messages">
        <span class="row soft small">
          <span class={isAway ? "dot bad" : "dot live"} />
          {isAway ? "Not connected" : "Listening"}
        </span>
      </Bar>
      <div class="body">
        <CommonNotices />
        <div class="hero">
          <Relay />
          <div class="stack">
            <h2 id="h-empty">Send your first message</h2>
            <p class="soft">
              Paste this into a terminal.{" "}
              {hasEcho === false
                ? "Put the address of your endpoint in the place of example.com."
                : "It goes to the built-in echo, so nothing else has to run."}{" "}
              The message appears here.
            </p>
          </div>
          <CommandCard target={target} />
          <Next hasEcho={hasEcho !== false} />
          {session.value?.isDev === true ? (
            <p class="hint">
              Data is kept in <code>./.postrider</code> and survives a restart.{" "}
              <a class="link" href="/settings">
                Keys and environment lines
              </a>
            </p>
          ) : null}
        </div>
      </div>
    </>
  );
}

const HELLO = {
  method: "POST",
  headers: [["Content-Type", "application/json"]],
  body: '{"hello":"world"}',
} as const;

function CommandCard({ target }: { readonly target: string }) {
  const [language, setLanguage] = useState<"curl" | "TypeScript">("curl");
  const sent: Publish = { ...HELLO, url: target };
  const text = (token: string): string =>
    language === "curl"
      ? publishCurl(window.location.origin, token, sent)
      : publishTypeScript(sent);
  const isTokenKnown = knownToken() !== null;
  const copy = (): Promise<void> => copyCommand(text);
  useKeys({ c: () => void copy() });
  return (
    <div class="card">
      <header>
        <Segmented
          label="Language"
          value={language}
          options={[
            { value: "curl", name: "curl" },
            { value: "TypeScript", name: "TypeScript" },
          ]}
          onChoose={setLanguage}
        />
        <div class="acts">
          <Button isSmall kind="primary" icon="copy" shortcut="c" onPress={() => void copy()}>
            Copy
          </Button>
        </div>
      </header>
      <pre class="code" tabIndex={0} aria-label="The command">
        <Command text={text(isTokenKnown ? "••••••••••••" : TOKEN_VARIABLE)} />
      </pre>
      <div class="more">
        <span class="row">
          <span class={unreachableSince.value === null ? "dot live" : "dot"} />
          <span>
            Waiting for the first message{" "}
            <span class="hide-s">
              {isTokenKnown
                ? "· Copy puts your whole token in"
                : "· Set POSTRIDER_TOKEN to a token of yours"}
            </span>
          </span>
        </span>
        <Button
          isSmall
          icon="message"
          whyNot={isReadOnly.value ? "You are signed in with a read-only token" : null}
          onPress={() => send(sent)}
        >
          Or send it from here
        </Button>
      </div>
    </div>
  );
}

async function send(sent: Publish): Promise<void> {
  try {
    await publish(sent);
    noteFirstMessage();
  } catch (error) {
    announceFailure("The message was not sent.", error);
  }
}

/** What is quoted has the color of a string. */
function Command({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/('[^']*'|"[^"]*")/).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span key={index} class="s">
            {part}
          </span>
        ),
      )}
    </>
  );
}

function Relay() {
  return (
    <svg
      class="relay"
      viewBox="0 0 760 96"
      role="img"
      aria-label="Your app sends to Postrider, Postrider delivers to your endpoint"
    >
      <path class="rail" d="M128 48H312M448 48H632" />
      <circle class="rider" r="5" />
      <rect class="stop" x="1" y="20" width="126" height="56" rx="10" />
      <text class="mid" x="64" y="53">
        your app
      </text>
      <rect class="stop on" x="313" y="14" width="134" height="68" rx="12" />
      <text class="mid" x="380" y="46">
        Postrider
      </text>
      <text class="mid dim" x="380" y="63">
        stored, then sent
      </text>
      <rect class="stop" x="633" y="20" width="126" height="56" rx="10" />
      <text class="mid" x="696" y="53">
        your endpoint
      </text>
    </svg>
  );
}

function Next({ hasEcho }: { readonly hasEcho: boolean }) {
  return (
    <div class={`cols ${hasEcho ? "c3" : "c2"}`}>
      {hasEcho ? (
        <button
          type="button"
          class="card pad next"
          onClick={() =>
            void send({
              url: `${window.location.origin}/echo/fail?times=2`,
              method: "POST",
              headers: [["Svc-Retry-Delay", "2000"]],
              body: "",
            })
          }
        >
          <h2>
            <Icon name="retry" />
            See a retry
          </h2>
          <p class="soft small">
            Send to <code>/echo/fail?times=2</code> and watch attempts 1 to 3.
          </p>
        </button>
      ) : null}
      <a class="card pad next" href="/schedules">
        <h2>
          <Icon name="clock" />
          Make a schedule
        </h2>
        <p class="soft small">Pick a time in words, see the next five.</p>
      </a>
      <FirstRun />
    </div>
  );
}

/** In dev one press is enough; else the list of runs has code to start with. */
function FirstRun() {
  const startSample = sampleRunStart();
  const head = (
    <h2>
      <Icon name="runs" />
      Run a workflow
    </h2>
  );
  if (startSample === null) {
    return (
      <a class="card pad next" href="/runs">
        {head}
        <p class="soft small">Ten lines of TypeScript that survive a restart.</p>
      </a>
    );
  }
  return (
    <button type="button" class="card pad next" onClick={() => void startSample()}>
      {head}
      <p class="soft small">Start the sample: steps, a retry, a sleep and a result.</p>
    </button>
  );
}
