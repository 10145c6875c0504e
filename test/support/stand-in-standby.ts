/**
 * Follows a PostgreSQL as a synchronous standby does: it receives the write-ahead log and says how
 * much of it it has, without keeping any.
 */
import { Client, type Connection } from "pg";

export interface StandInStandby {
  /** From now on it confirms nothing, as a standby whose disk is stuck. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function startStandby(url: string, name: string): Promise<StandInStandby> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    replication: "true",
  } as ConstructorParameters<typeof Client>[0]);
  await client.connect();
  const { rows } = await client.query<{ xlogpos: string }>("IDENTIFY_SYSTEM");
  const { connection } = client as Client & { readonly connection: Connection };
  let receivedUpTo = 0n;
  let isPaused = false;
  const confirm = (): void => {
    if (!isPaused) sendCopyData(connection, statusUpdate(receivedUpTo));
  };
  connection.on("copyData", ({ chunk }: { readonly chunk: Buffer }) => {
    if (chunk[0] === XLOG_DATA) {
      receivedUpTo = chunk.readBigUInt64BE(1) + BigInt(chunk.length - XLOG_HEAD_BYTES);
    }
    confirm();
  });
  client.query(`START_REPLICATION PHYSICAL ${rows[0]!.xlogpos}`).catch(() => undefined);
  return {
    pause: () => (isPaused = true),
    resume: () => {
      isPaused = false;
      confirm();
    },
    close: async () => {
      client.on("error", () => undefined);
      connection.stream.destroy();
      await client.end().catch(() => undefined);
    },
  };
}

/** Written, flushed and applied up to here. */
function statusUpdate(upTo: bigint): Buffer {
  const update = Buffer.alloc(34);
  update.write("r");
  for (const offset of [1, 9, 17]) update.writeBigUInt64BE(upTo, offset);
  return update;
}

function sendCopyData(connection: Connection, data: Buffer): void {
  const head = Buffer.alloc(5);
  head.write("d");
  head.writeInt32BE(data.length + 4, 1);
  connection.stream.write(Buffer.concat([head, data]));
}

const XLOG_DATA = "w".charCodeAt(0);
const XLOG_HEAD_BYTES = 25;
