/** The environment of the test run, as a user's: settings in it must not reach a command. */
export function userEnvironment(from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const inherited = Object.entries(from).filter(([name]) => !name.startsWith("POSTRIDER_"));
  return Object.fromEntries(inherited);
}
