import { Agent, request } from "node:http";

/**
 * Calls one route again and again on each of its connections, and reads the answers without keeping
 * them. A stream that never ends is read for as long as the process lives.
 */
interface Plan {
  readonly port: number;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly connections: number;
}

const plan = JSON.parse(process.argv[2] ?? "{}") as Plan;
const agent = new Agent({ keepAlive: true, maxSockets: plan.connections });

for (let connection = 0; connection < plan.connections; connection++) void callForEver();
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));

async function callForEver(): Promise<void> {
  for (;;) {
    const status = await call();
    // A load that is refused is none.
    if (status >= 400) throw new Error(`${plan.method} ${plan.path} was answered with ${status}`);
  }
}

function call(): Promise<number> {
  const { port, token, method, path } = plan;
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: "127.0.0.1", method, path, headers, agent }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end();
  });
}
