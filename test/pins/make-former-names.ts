/**
 * Creates the state of `test/fixtures/former-names`: runs and conversations that recorded the former names of built-in
 * tools. It was made with the last program before these names became aliases, and is never recreated.
 */
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { modelServer } from "../../src/testing.ts";

const [program = "dist/bin.js"] = process.argv.slice(2);
const fixture = resolve("test/fixtures/former-names");
const cwd = await mkdtemp(join(tmpdir(), "windlass-former-names-"));
await cp(join(fixture, "workspace"), cwd, { recursive: true });
await writeFile(join(cwd, "effects.log"), "");

const server = await modelServer([
  // vault runner: it searches first, then requests an answer
  { hang: true },
  // autonomous runner
  {
    toolCalls: [
      { name: "localSearch", args: { query: "mill" } },
      { name: "getTimeRangeMs", args: { description: "2026-01-01", timezone: "UTC" } },
      { name: "get_time", args: { timezone: "UTC" } },
    ],
  },
  { hang: true },
]);
const env = { ...process.env, WINDLASS_MODEL: "test", WINDLASS_MODEL_BASE_URL: server.baseUrls.openai };

function start(words: readonly string[]) {
  const child = spawn(process.execPath, [resolve(program), ...words], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const ended = new Promise<{ code: number | null; out: string }>((done) =>
    child.on("close", (code) => done({ code, out })),
  );
  return { child, ended };
}

async function windlass(words: readonly string[], expected = 0): Promise<void> {
  const { code, out } = await start(words).ended;
  if (code !== expected) throw new Error(`windlass ${words.join(" ")} ended with ${code}, not ${expected}:\n${out}`);
}

/** Kills the program with SIGKILL once it has sent this many requests to the model, and its writes are on disk. */
async function killAtRequest(count: number, words: readonly string[]): Promise<void> {
  const { child, ended } = start(words);
  while (server.requests.length < count) await sleep(20);
  await sleep(1000);
  child.kill("SIGKILL");
  await ended;
}

await windlass(["call", "memory_store", "content=The causeway mill at Eling still grinds."]);
await windlass(["run", "former-names", "--run-id", "former-names"], 3);
await windlass(["run", "guarded-index", "--run-id", "guarded-index"], 3);
await killAtRequest(1, ["ask", "What did I write about the mill in 2026?", "--runner", "vault", "--conversation", "v"]);
await killAtRequest(3, ["ask", "Where is the mill?", "--conversation", "autonomous"]);
await server.close();

// An approval of today must still be open when the test runs in some years.
const farFuture = Date.UTC(2100, 0);
const db = new DatabaseSync(join(cwd, ".windlass/journal.db"));
db.prepare("UPDATE approvals SET expires_at = ? WHERE status = 'pending'").run(farFuture);
db.prepare(
  "UPDATE run_events SET data = json_set(data, '$.due', ?) WHERE kind = 'waiting' AND json_type(data, '$.approvalId') IS NOT NULL",
).run(farFuture);
db.close();

await rm(join(fixture, "state"), { recursive: true, force: true });
for (const name of ["journal.db", "memory.db"])
  await cp(join(cwd, ".windlass", name), join(fixture, "state", name), { recursive: true });
await writeFile(join(fixture, "workspace/effects.log"), await readFile(join(cwd, "effects.log")));
await rm(cwd, { recursive: true, force: true });
