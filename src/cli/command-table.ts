/**
 * Every command of `postrider`, in one table. The program, its `--help`, the completion of shells and
 * docs/reference/commands.md are made from it. A new command is a line here and a function of the same name
 * in `commands`.
 *
 * A line is: usage | who runs it | what it does | its options | an example. A line without the last three is
 * a group of commands. `message` and `filters` are the sets of options below.
 */
import { PLANS } from "../core/model/account/account.ts";
import { DIALECT_CHOICES } from "../core/model/message/message.ts";
import {
  type CommandRow,
  type OptionRow,
  parseCommands,
  parseOptions,
  type Who,
} from "./command-row.ts";

/** Who runs a command, and what it needs. */
export const WHO: Readonly<Record<Who, string>> = {
  machine: "needs nothing but this machine",
  token: "an address and a token of an account",
  owner: "an address and the main token of an account",
  operator: "the data folder or the database of a server that runs",
  store: "the data folder or the database of the server, whether it runs or not",
  server: "the settings of the server",
};

const OPTION_LINES = `
--body <text>                | Body; @FILE reads a file, @- reads standard input
-H, --header <line...>       | Header for the destination, as "Name: value"
--method <method>            | Method of the delivery; default: POST
--delay <duration>           | Deliver after this time: 10s, 1d12h
--not-before <time>          | Deliver at this time or later: a date, or unix seconds
--retries <count>            | How often a failed delivery is tried again
--retry-delay <expression>   | Milliseconds before each retry: "1000 * pow(2, retried)"
--timeout <duration>         | Longest time of one attempt, or of a query: 30s
--callback <url>             | URL that gets the answer of each attempt
--failure-callback <url>     | URL that is told when the last attempt has failed
--deduplication-id <id>      | A second message with this id is not sent
--label <label...>           | Label, to find it by
--flow-key <key>             | Flow-control key that limits it
--parallelism <count>        | How many are delivered at once
--rate <count>               | How many are started in a period
--period <duration>          | The period of the rate; default: 1s
--dialect <name>             | Headers of the delivery: svc, or upstash for receivers and workflows of the public SDKs; default: svc
--redact-body                | Hide the body from readers
--wait                       | Wait until it has ended; fails if it has failed
--skip <count>               | Skip this many messages of the file
--state <state...>           | Only in this state: CREATED, ACTIVE, RETRY, ERROR, DELIVERED, FAILED, CANCELED
--url <url...>               | Only to this URL
--host <host...>             | Only to this host
--queue <name...>            | Only through this queue
--key <key...>               | Only under this flow-control key
--schedule <id...>           | Only of this schedule
--group <name...>            | Only to this URL group
--since <time>               | Not older than this: 1h, 7d or a date
--until <time>               | Not newer than this
--status <code...>           | Only with this last answer; 0 for none
--cause <text>               | Only with this cause, as "dlq groups" prints it
--run-state <state>          | Only in this state: RUN_STARTED, RUN_SUCCESS, RUN_FAILED, RUN_CANCELED
--limit <count>              | How many to print; 0 for all; default: 50
--follow                     | Print what happens from now on, until Ctrl-C
--all                        | Every one of them
--dry-run                    | Print how many it would be, and change nothing
--over <duration>            | Spread them evenly over this time
--yes                        | Do not ask
--id <id>                    | An id of your own; an existing schedule is replaced
--run-id <id>                | An id of your own for the run
--failure-url <url>          | URL that is told when the run has failed
--run <id>                   | Only this run; if it does not wait yet, once it does
--through <queue>            | Queue that it publishes through
--count <count>              | How many times to print; default: 5
--paused                     | Paused: it accepts messages and delivers none
--name <name>                | A name to find it by
--search <text>              | Only with this text in the name
--scope <scope>              | What it may do                                 | full read-only
--expires-in <duration>      | When it ends: 30d
--data <folder>              | Data folder of dev; default: ./.postrider
--plan <plan>                | plan of the account                            | ${PLANS.join(" ")}
--after <id>                 | start after this account
--grace <duration>           | accept the old tokens for this much longer: 10m
--account <id>               | only the deliveries of this account
--framework <name>           | next, hono, express, fastify or none; default: what package.json names
--destination <url>          | Check that deliveries reach this URL
--listen <port>              | Port at which replay stands in for the server of your code; default: 8080, as dev
--json                       | Print JSON, one object on each line
--answer <status...>         | Answer of an attempt, in their order: 503, 429/120 with Retry-After, 0 for none; default: 500
--takes <duration...>        | How long an answer takes: 200ms, 2s; several are used in turn
--messages <count>           | Messages that are there at the beginning; default: 100
--from <start>               | simulate: from when on, a date or unix milliseconds, default now; move: URL of the PostgreSQL to move from, into the data folder
--zone <zone>                | Time zone, such as Europe/Paris; default: UTC
--out <file>                 | File to write, which must not exist yet
--passphrase-file <file>     | File with the passphrase that seals the secret key in the backup
--file <file>                | Read the query from a file; - is standard input
--csv                        | Print CSV, with the names of the columns first
--rows <count>               | How many rows to print; 0 for all; default: 1000
--to <url>                   | Where it goes: PostgreSQL for move (postgres://user:password@host/database), your program for replay (http://localhost:3000; without a path, the recorded path is used)
--cancel                     | Forget a move that has not ended
--print                      | Print the address instead of opening it
`;

const SETS = {
  message:
    "body header method retries retry-delay timeout callback failure-callback deduplication-id label flow-key parallelism rate period redact-body dialect",
  filters: "url host queue key schedule group label since until",
};

const COMMAND_LINES = `
## Run a server
dev | server | Run on this machine: loopback only, known credentials, data kept in ./.postrider | | dev --port 9000
serve | server | Run for other machines: SQLite in a data folder, or PostgreSQL shared by several nodes | | serve --data /var/lib/postrider
migrate | server | Migrate the schema of the store, and exit | | migrate --data /var/lib/postrider
init | machine | Write .env lines, a sample receiver and a sample workflow for the framework of this folder | framework | init --framework none
doctor | server | Check this machine, the store, the port, a proxy and a destination, and say what to do | destination json | doctor --destination https://example.com/hook
reset | machine | Delete the data of dev | data yes | reset --yes

## Connect
login [server] | machine | Save an address and a token, for the commands below | | login http://127.0.0.1:8080 --token-file token.txt
logout | machine | Remove what login has saved | | logout
status | token | Show the server, the account, its limits, and what waits and why | | status
open [id] | token | Open the dashboard, or the page of a message or run | print | open --print

## Send
publish <destination> | token | Publish a message to a URL or a URL group | message delay not-before wait | publish https://example.com/hook --body '{"user":42}' --label signup
enqueue <queue> <destination> | token | Publish a message through a queue | message wait | enqueue mail https://example.com/hook --body hello
batch <file> | token | Publish the messages of a file: a JSON array, or a JSON object on each line; - is standard input | dialect skip | batch messages.jsonl
trigger <url> | token | Start a run of the workflow at a URL | body header retries retry-delay delay not-before label flow-key parallelism rate period run-id failure-url redact-body dialect follow | trigger https://example.com/workflow --body '{"order":1}'
notify <event> | token | Send an event to the runs that wait for it | body run | notify packed-1 --body '{"by":"eva"}'

## Read
messages | token | List messages with their newest state, newest first; those that have not ended oldest first | state filters limit | messages --state DELIVERED --since 1h
show <id> | token | Show a message, a run or a dead letter: its attempts or steps, and why it failed or waits | | show 3ZK2V9
logs | token | List log entries, newest first, or follow them | state filters limit follow | logs --limit 5
runs | | Runs of workflows
runs list | token | List runs, newest first | run-state url label key since until limit | runs list --run-state RUN_STARTED
runs resume [id...] | token | Continue failed runs where they failed, as new runs | url label key since until status cause all over dry-run yes | runs resume --all --dry-run
runs restart [id...] | token | Start failed runs again from the beginning, as new runs | url label key since until status cause all over dry-run yes | runs restart --all --dry-run
runs waiters <event> | token | List the runs that wait for an event | | runs waiters packed-1
dlq | | Dead letters
dlq list | token | List dead letters, newest first | filters status cause limit | dlq list --status 500
dlq groups | token | List why messages failed: status and cause, the most frequent first | | dlq groups
dlq retry [id...] | token | Send dead letters again, as new messages | filters status cause all over dry-run yes | dlq retry --status 500 --dry-run
dlq delete [id...] | token | Delete dead letters | filters status cause all dry-run yes | dlq delete --all --dry-run

## Change
retry [id...] | token | Send waiting messages now, and what has failed again: a dead letter as a new message, a failed run from its failed step | filters all over dry-run yes | retry --host example.com --dry-run
cancel [id...] | token | Cancel messages or runs that have not ended | filters all dry-run yes | cancel --label signup --yes
schedules | | Schedules
schedules list | token | List schedules by id | limit | schedules list
schedules create <destination> <cron> | token | Create a schedule, or replace the one with the same id | body header method delay retries retry-delay timeout callback failure-callback label flow-key parallelism rate period redact-body dialect through id | schedules create https://example.com/report "CRON_TZ=Europe/Paris 0 9 * * 1-5" --id report
schedules show <id> | token | Show a schedule and its next five times | | schedules show report
schedules preview <cron> | token | Print when an expression would fire | count | schedules preview "0 9 * * 1-5" --count 3
schedules run <id> | token | Publish the message of a schedule now | | schedules run report
schedules pause <id> | token | Pause a schedule | | schedules pause report
schedules resume <id> | token | Resume a schedule with its next tick | | schedules resume report
schedules delete <id> | token | Delete a schedule | yes | schedules delete report --yes
queues | | Queues
queues list | token | List queues | limit | queues list
queues set <name> | token | Create a queue, or change it | parallelism paused | queues set mail --parallelism 5
queues show <name> | token | Show a queue | | queues show mail
queues pause <name> | token | Pause a queue: it accepts messages and delivers none | | queues pause mail
queues resume <name> | token | Resume a queue, oldest message first | | queues resume mail
queues delete <name> | token | Delete a queue and cancel the messages in it | yes | queues delete mail --yes
groups | | URL groups
groups list | token | List URL groups | limit | groups list
groups add <group> <url> | token | Add an endpoint to a group; the first one creates it | name | groups add news https://example.com/hook --name first
groups show <group> | token | Show a URL group | | groups show news
groups remove <group> <endpoint> | token | Remove an endpoint by its URL or name; the last one deletes the group | | groups remove news first
groups delete <group> | token | Delete a URL group | yes | groups delete news --yes
flow | | Flow-control keys
flow list | token | List keys with what waits and runs under them | search limit | flow list --search acme
flow show <key> | token | Show the limits of a key and their use | | flow show acme
flow pause <key> | token | Pause a key: no message under it starts | | flow pause acme
flow resume <key> | token | Resume a key | | flow resume acme
flow pin <key> | token | Fix limits that messages then do not change | parallelism rate period | flow pin acme --parallelism 5
flow unpin <key> | token | Let messages set the limits again | | flow unpin acme
flow reset <key> | token | Start a new period of the rate at once | | flow reset acme

## Try
clock | | The clock of dev, and only of dev. A restart forgets how far it was put forward
clock show | token | Show the clock of dev, and how far it was put forward | | clock show
clock advance <duration> | token | Put the clock of dev forward; what comes due on the way is done | | clock advance 2d
clock until <schedule> | token | Put the clock of dev forward to the next time of a schedule | | clock until daily
export <id> | token | Write a message or run with everything about it as JSON: on standard output, or into a file that only you can read | out | export 3ZK2V9 --out incident.json
replay <file> | machine | Send an exported message to a program of yours, or replay the recorded steps of an exported run against its code | to body listen json | replay incident.json --to http://localhost:3000
simulate | | What would happen, by the rules of the server
simulate retries | machine | Print when each attempt of a message would begin | retries retry-delay answer takes from json | simulate retries --retries 3 --retry-delay "1000 * pow(2, retried)"
simulate schedule <cron> | machine | Print when a schedule would fire, in its zone and in UTC | zone from count json | simulate schedule "30 2 * * *" --zone Europe/Paris --from 2026-03-28
simulate queue | machine | Print how a queue or a flow-control key would drain | messages parallelism rate period takes json | simulate queue --messages 100 --rate 10 --period 1m --takes 200ms

## Account
keys | | Signing keys
keys show | owner | Show the two signing keys | | keys show
keys rotate | owner | Make the next signing key the current one, and generate a new next one | yes | keys rotate --yes
tokens | | Tokens of the account
tokens list | owner | List tokens without their secrets | | tokens list
tokens add <name> | owner | Add a named token, shown once | scope expires-in | tokens add ci --scope read-only --expires-in 30d
tokens revoke <id> | owner | Revoke a named token, by its id or name | yes | tokens revoke ci --yes

## Operate
account | | Manage accounts
account create <customer> | operator | Create an account for an e-mail address or a team; its secrets are shown once | plan | account create team@example.com --plan paid
account list | operator | List accounts by id, 1,000 at a time | after | account list
account show <id> | operator | Show an account and its limits | | account show ID
account rotate <id> | operator | Generate new tokens and a new password, shown once; the old ones are refused at once | grace | account rotate ID --grace 10m
account plan <id> <plan> | operator | Put an account on a plan: ${PLANS.join(", ")} | | account plan ID paid
account limit <id> <limit> <value> | operator | Override a limit of an account, such as max_topics; "plan" returns to the limit of the plan, "none" is no limit | | account limit ID max_topics 5
account dialect <id> <dialect> | operator | Choose the headers of messages that were published without a Svc- or Upstash- header: ${DIALECT_CHOICES.join(", ")}, or "server" for the setting of the server | | account dialect ID svc
account suspend <id> | operator | Suspend an account: its tokens are refused and its deliveries wait | | account suspend ID
account activate <id> | operator | End a suspension; waiting messages are sent | | account activate ID
account delete <account> | operator | Delete an account, by its id or customer, and all that it has: its tokens are refused at once, the rest goes page by page | dry-run wait yes | account delete team@example.com --yes
secret | | The secret key, which encrypts the signing keys
secret rotate | operator | Encrypt everything again with a new secret key, while the server runs; an interrupted rotation goes on when it is run again | | secret rotate --data /var/lib/postrider
pause | operator | Pause all deliveries, on every node; publishing continues | account | pause
resume | operator | Resume deliveries | account | resume
nodes | operator | List the nodes of the server | | nodes
backup <file> | store | Write a backup while the server runs; with PostgreSQL by pg_dump | passphrase-file | backup postrider.backup
verify <file> | machine | Check that a backup is whole: every row, and by which version it was made | json | verify postrider.backup
restore <file> | store | Restore a backup into an empty data folder; the server then starts paused | passphrase-file | restore postrider.backup
query [select] | store | Run a select over the history: messages, attempts, runs, steps, schedules and dead letters; it changes nothing and ends after 10 s | file csv rows timeout | query "select state, count(*) as messages from history_messages group by state"
move | store | Move the data from SQLite to PostgreSQL or back, while the server runs; an interrupted move goes on when it is run again | to from cancel | move --data /var/lib/postrider --to postgres://postrider@db.internal/postrider
completion <shell> | machine | Print the completion script of bash, zsh or fish | | completion bash
`;

/** The options of commands that ask a server. */
const CONNECTION_LINES = `
--server <url>               | Address of the server; default: POSTRIDER_URL, the saved profile, or dev on this machine
--profile <name>             | Saved profile to use; default: POSTRIDER_PROFILE, or "default"
--token-file <file>          | File with the token; - is standard input
--token <token>              | The token; other users of this machine can read it, so prefer the others
--json                       | Print JSON: one object, or for a list one on each line
--quiet                      | Print ids only, a number for --dry-run, or nothing
`;

export const OPTIONS: readonly OptionRow[] = parseOptions(OPTION_LINES);
export const CONNECTION: readonly OptionRow[] = parseOptions(CONNECTION_LINES);
export const COMMANDS: readonly CommandRow[] = parseCommands(COMMAND_LINES, OPTIONS, SETS);

/** What the exit code of a command says. */
export const EXIT_CODES = {
  0: "done",
  1: "the command or a setting is wrong, the server refused it, or it failed",
  3: "the server did not answer, or it is not ready",
  4: "the token is missing, unknown, or may not do this",
  5: "nothing has this id or name, or more than one thing has it",
  6: "the message or run that it waited for has failed or was canceled, or a replay was refused or differs",
  130: "ended by Ctrl-C",
} as const;
export type ExitCode = keyof typeof EXIT_CODES;
