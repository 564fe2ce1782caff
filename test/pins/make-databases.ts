/**
 * Creates the state of `test/fixtures/pins/VERSION`: runs the built program over the workspace there and stops it in
 * every state that a later version has to open, migrate and resume.
 *
 *     node test/pins/make-databases.ts v2
 *
 * Run it once for each change of the stored format, with the last program before the change, and commit the result. The
 * state of earlier versions is never recreated: it is what users of those versions have on disk.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { modelServer } from "../../src/testing.ts";

const [version = "v1", program = "dist/bin.js"] = process.argv.slice(2);
const fixture = resolve("test/fixtures/pins", version);
const cwd = await mkdtemp(join(tmpdir(), "windlass-pins-"));
await cp(join(fixture, "workspace"), cwd, { recursive: true });
await rm(join(cwd, "effects.log"), { force: true });

const server = await modelServer([
  // conversation
  { text: "The mill at Eling stands on a causeway." },
  { text: "It was built in the 18th century." },
  // agent-approval
  { text: "I will send it.", toolCalls: [{ name: "look", args: { text: "agent-look" } }] },
  { toolCalls: [{ name: "send", args: { text: "agent-send" } }] },
  // agent-killed
  { toolCalls: [{ name: "look", args: { text: "agent-before-kill" } }] },
  { hang: true },
]);
const env = {
  ...process.env,
  WINDLASS_TRUST: "1",
  WINDLASS_MODEL: "test",
  WINDLASS_MODEL_BASE_URL: server.baseUrls.openai,
};

function start(words: readonly string[]): {
  child: ChildProcess;
  ended: Promise<{ code: number | null; out: string }>;
} {
  const child = spawn(process.execPath, [resolve(program), ...words], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
  return { child, ended: new Promise((done) => child.on("close", (code) => done({ code, out }))) };
}

async function windlass(words: readonly string[], expected = 0): Promise<string> {
  const { code, out } = await start(words).ended;
  if (code !== expected) throw new Error(`windlass ${words.join(" ")} ended with ${code}, not ${expected}:\n${out}`);
  return out;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

async function hasEffect(text: string): Promise<boolean> {
  return (await readFile(join(cwd, "effects.log"), "utf8").catch(() => "")).split("\n").includes(text);
}

/** Kills the program with SIGKILL once a handler has written this line, and its earlier writes are on disk. */
async function killAt(text: string, words: readonly string[]): Promise<void> {
  await writeFile(join(cwd, `hold-${text}`), "");
  const { child, ended } = start(words);
  await until(() => hasEffect(text));
  await sleep(1000);
  child.kill("SIGKILL");
  await ended;
  await rm(join(cwd, `hold-${text}`));
}

const runId = (id: string): string[] => ["--run-id", id];
await windlass(["run", "finished", ...runId("finished")]);
await windlass(["run", "approval", "to=ada", ...runId("approval")], 3);
// The second process of a run with a timeout persists the remaining time.
await windlass(["resume", "approval"], 3);
await windlass(["run", "guarded", ...runId("guarded")], 3);
await windlass(["run", "nested-call", ...runId("nested-call")], 3);
await windlass(["run", "approval", "to=grace", ...runId("decided")], 3);
await windlass(["approve", "decided", "--no-resume", "--note", "checked"]);
await killAt("once-send", ["run", "once", ...runId("once")]);
await killAt("child-second", ["run", "parent", ...runId("parent")]);
await killAt("each-c", ["run", "each", ...runId("each")]);
await killAt("flaky", ["run", "timer", ...runId("timer")]);

await windlass(["ask", "Where is the mill?", "--conversation", "mills"]);
await windlass(["ask", "How old is it?", "--conversation", "mills"]);
await windlass(["ask", "Send it", "--conversation", "agent-approval"], 3);
const requested = start(["ask", "Look it up", "--conversation", "agent-killed"]);
await until(() => server.requests.length === 6);
await sleep(1000);
requested.child.kill("SIGKILL");
await requested.ended;

await windlass(["call", "memory_store", "content=The mill at Eling still grinds.", 'tags=["mills"]']);
await windlass(["call", "memory_store", "content=潮汐磨坊建在堤道上。"]);
await windlass(["mcp", "approve", "pins", "-y"]);
await windlass(["call", "pins/echo", "text=hello"]);
await server.close();

// An approval of today must still be open when the test runs in some years, and its run suspended.
const farFuture = Date.UTC(2100, 0);
const db = new DatabaseSync(join(cwd, ".windlass/journal.db"));
db.prepare("UPDATE approvals SET expires_at = ? WHERE status = 'pending'").run(farFuture);
db.prepare(
  "UPDATE run_events SET data = json_set(data, '$.due', ?) WHERE kind = 'waiting' AND json_type(data, '$.approvalId') IS NOT NULL",
).run(farFuture);
db.prepare("UPDATE runs SET waits_for = json_set(waits_for, '$.until', ?) WHERE waits_for IS NOT NULL").run(farFuture);
db.close();

await rm(join(fixture, "state"), { recursive: true, force: true });
// The index is omitted: it contains the folder, and is rebuilt from the notes.
for (const name of ["journal.db", "memory.db", "mcp"])
  await cp(join(cwd, ".windlass", name), join(fixture, "state", name), { recursive: true });
await cp(join(cwd, "effects.log"), join(fixture, "workspace/effects.log"));
await rm(cwd, { recursive: true, force: true });
