import { freshDatabase } from "./postgres-url.ts";
import type { Scope } from "./scope.ts";
import { TestService } from "./service-harness.ts";

/** Starts one more node on the same database. */
export type StartNode = () => Promise<TestService>;

/** Two nodes on one PostgreSQL, and a way to start others; all end with the test. */
export async function startTwoNodes(
  scope: Scope,
): Promise<readonly [TestService, TestService, StartNode]> {
  const database = await freshDatabase();
  const flags = { databaseUrl: database.url, secretKey: "a-secret-key-of-the-cluster" };
  const nodes: TestService[] = [];
  scope.after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await database.drop();
  });
  const start = async (): Promise<TestService> => {
    const node = await TestService.start({ flags });
    nodes.push(node);
    return node;
  };
  return [...(await Promise.all([start(), start()])), start];
}
