/** Stands in for `postrider serve` in the commands of the docs: starts it, sees it ready, stops it. */
import { Command } from "../support/command.ts";

const words = process.argv.slice(2);
const given = words.indexOf("--port");
if (given !== -1) words.splice(given, 2);
const more = ["--port", "0", "--log", "json", "--min-free-disk", "0"];
const command = new Command([...words, ...more], process.env as Record<string, string>);
await command.says(/"msg":"ready"/);
command.signal("SIGTERM");
const end = await command.ends();
if (end !== 0) throw new Error(`ended with ${end}: ${command.errors}`);
