/** The account of the reader, its secrets and limits, and what this browser remembers. */
import type { OwnAccount } from "../../../sdk/src/answers/account.ts";
import { areKeysOn, setKeysOn } from "../app/keys.ts";
import { bytesText, durationText } from "../app/format.ts";
import { useResource } from "../app/resource.ts";
import { isOperator, isOwner, session, signOut } from "../app/session.ts";
import { chooseTheme, themeChoice } from "../app/theme.ts";
import { Button } from "../parts/button.tsx";
import { Chip } from "../parts/chip.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Notice } from "../parts/notice.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { SigningKeysCards } from "./signing-keys-card.tsx";
import { TokensCard } from "./tokens-card.tsx";
import { UsageCard } from "./usage-card.tsx";

export function SettingsScreen() {
  return isOperator.value ? <OperatorSettings /> : <AccountSettings />;
}

function AccountSettings() {
  const account = useResource<OwnAccount>("/v2/account", 15_000);
  const { value } = account;
  return (
    <>
      <Bar
        title="Settings"
        beside={
          value === null ? null : (
            <span class="muted cut">
              {value.customer_id}, plan {value.type}
            </span>
          )
        }
      >
        {value?.paused === true ? <Chip isBig state="paused" /> : null}
        <Button onPress={signOut}>Sign out</Button>
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={account} what="your account" />
        {value?.paused === true ? (
          <Notice tone="warn" icon="pause" title="The operator has paused your deliveries.">
            You can publish; messages wait until they are resumed.
          </Notice>
        ) : null}
        <div class="cols c2">
          <div class="stack">
            <SigningKeysCards />
            <TokensCard />
          </div>
          <div class="stack">
            {value === null ? null : <UsageCard account={value} />}
            {value === null ? null : <KeptCard account={value} />}
            <BrowserCard />
          </div>
        </div>
      </div>
    </>
  );
}

function OperatorSettings() {
  return (
    <>
      <Bar title="Settings" beside={<span class="muted">{session.value?.name}, operator</span>}>
        <Button onPress={signOut}>Sign out</Button>
      </Bar>
      <div class="body">
        <CommonNotices />
        <div class="cols c2">
          <BrowserCard />
        </div>
      </div>
    </>
  );
}

function KeptCard({ account }: { readonly account: OwnAccount }) {
  const { retention, max_dlq_retention_time_milis: deadMs, max_events_size: logBytes } = account;
  return (
    <article class="card">
      <header>
        <h2>Kept for</h2>
      </header>
      <div class="pad">
        <dl class="kv">
          <dt>Ended messages, log</dt>
          <dd>{durationText(retention * DAY_MS)}</dd>
          <dt>Dead letters</dt>
          <dd>{durationText(deadMs)}, then the oldest go</dd>
          <dt>Bodies in the log</dt>
          <dd>first {bytesText(logBytes)}</dd>
        </dl>
      </div>
    </article>
  );
}

function BrowserCard() {
  return (
    <article class="card">
      <header>
        <h2>This browser</h2>
      </header>
      <ul class="list">
        <li>
          <span class="grow">Theme</span>
          <Segmented
            label="Theme"
            value={themeChoice.value}
            options={[
              { value: "system", name: "System" },
              { value: "light", name: "Light" },
              { value: "dark", name: "Dark" },
            ]}
            onChoose={chooseTheme}
          />
        </li>
        <li>
          <label class="row grow">
            <span class="grow">Single-key shortcuts</span>
            <input
              type="checkbox"
              class="check"
              checked={areKeysOn.value}
              onChange={(event) => setKeysOn(event.currentTarget.checked)}
            />
          </label>
        </li>
        <li>
          <span class="grow">
            Signed in with{" "}
            {session.value?.scope === "read-only" ? "a read-only token" : "full access"}
            {isOwner.value || isOperator.value ? "" : ", without tokens and signing keys"}
            {session.value?.isDev === true ? ", since this is a development server" : ""}
          </span>
          <Button isSmall onPress={signOut}>
            Sign out
          </Button>
        </li>
      </ul>
    </article>
  );
}

const DAY_MS = 86_400_000;
