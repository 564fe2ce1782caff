/**
 * Research with the built-in tools, offline and without an API key: `npm start`. It checks every result and fails if
 * one is wrong.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";

const bold = (words: string): string => styleText("bold", words);
const dim = (words: string): string => styleText("dim", words);
const root = join(import.meta.dirname, "..");
const program = join(root, "dist/bin.js");
if (!existsSync(program)) {
  console.error("Windlass is not built yet: run `npm ci`, or `npm run build` in a checkout that has its packages.");
  process.exit(1);
}
// Stays offline even if the environment configures a model or a search engine.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("WINDLASS_")));

// A copy, so that every tour starts with empty memory.
const workspace = await mkdtemp(join(tmpdir(), "windlass-tour-"));
process.on("exit", () => rmSync(workspace, { recursive: true, force: true }));
await cp(join(root, "examples/research"), workspace, {
  recursive: true,
  filter: (path) => !path.endsWith(".windlass"),
});

/** Runs a command in its own process and returns its parsed output. Its progress is printed to our own output. */
async function windlass(command: string, ...words: string[]): Promise<unknown> {
  const all = [program, command, "-C", workspace, ...words];
  const started = spawn(process.execPath, all, { cwd: root, env, stdio: ["ignore", "pipe", 1] });
  assert(started.stdout);
  const [printed, [code]] = await Promise.all([text(started.stdout), once(started, "close")]);
  assert.equal(code, 0, `windlass ${command} ended with ${code}`);
  return JSON.parse(printed);
}

/** The part of an execution log that is used here. */
interface Log {
  readonly success: boolean;
  readonly output: { readonly summary: string; readonly memory_id: string; readonly sources_count: number };
  readonly steps: readonly { readonly tool: string; readonly status: string }[];
}

/** The part of the output of memory_recall that is used here. */
interface Recalled {
  readonly results: readonly {
    readonly title: string;
    readonly id: string;
    readonly url: string;
    readonly metadata: { readonly sources: readonly string[] };
  }[];
}

console.log(`\n${bold("Windlass")} looks up ${bold("tide mills")} in the texts of examples/research/corpus\n`);

// The command prints an execution log.
const log = (await windlass("run", "research-summarize-store", "-i", "topic=tide mills", "--json")) as Log;
const { summary, memory_id } = log.output;
console.log(`\n${summary}\n`);
console.log(dim("No model is set up, so these sentences are quoted from the page."));
console.log(dim("They are in memory now, and a new process finds them:\n"));

const query = "grain ground by the sea";
// The command prints the output of the tool.
const { results } = (await windlass("call", "memory_recall", `query=${query}`)) as Recalled;
const found = results.find(({ id }) => id === memory_id);
assert(found);
console.log(`  memory_recall query="${query}"`);
const [source, ...others] = found.metadata.sources;
console.log(`  ${styleText("green", "→")} ${bold(found.title)}, from ${source}  ${dim(found.url)}\n`);

assert(log.success);
assert.deepEqual(
  log.steps.map(({ tool, status }) => `${tool} ${status}`),
  ["web_search success", "web_fetch success", "llm_summarize success", "memory_store success"],
);
assert.match(summary, /^- A tide mill grinds grain[^]+\n\nSources:\n- Tide mills: corpus:tide-mills\.md$/);
assert.equal(source, "corpus:tide-mills.md");
assert.deepEqual(others, []);
assert.equal(log.output.sources_count, 1);

console.log(`${dim("Now try:")}\n`);
for (const command of [
  "run -C examples/research research-summarize-store topic=潮汐磨坊",
  "run -C examples/harbour morning-report harbour=Hoorn",
  "tools",
]) {
  console.log(`  npm run -s windlass -- ${command}`);
}
console.log(
  `\n${dim("How to set up a model or a search engine, and what leaves the machine: docs/guide/built-in-tools.md")}`,
);
