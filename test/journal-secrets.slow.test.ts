import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type SqliteStore, openSqlite } from "../src/adapters/index.ts";
import { Agent, AgentRuns, findRunner, resolveAgentSpec } from "../src/agent/index.ts";
import { ChainLibrary, ChainRuns, type ChainSpec } from "../src/chain.ts";
import { createEngine, createRedactor, defineTool } from "../src/index.ts";
import { scriptedModel } from "../src/testing.ts";
import { folderWith } from "./support/workspace.ts";

const token = "tok-5f1e88a2c0";
const other = "another-known-secret";
const secrets = { TOKEN: token, OTHER: other, SHORT: "user" };

const closing: SqliteStore[] = [];
afterEach(async () => {
  for (const store of closing.splice(0)) await store.close();
});

/** Logs in, and sends the result after an approval. */
const spec: ChainSpec = {
  name: "send",
  input: { note: { type: "any", default: "" } },
  steps: [
    { id: "login", tool: "login", params: { token: "${secret.TOKEN}" } },
    {
      id: "use",
      tool: "use",
      approval: "Send?",
      params: { login: "${steps.login.output}", note: "${input.note}" },
    },
  ],
};

/** One process with its own engine, on the database of a folder. */
async function openProcess(dir: string, values: Readonly<Record<string, string>> = secrets, result?: unknown) {
  const redactor = createRedactor(Object.values(values));
  const store = await openSqlite({ file: join(dir, "journal.db"), redactor });
  closing.push(store);
  const sent: unknown[] = [];
  const input = { type: "object", additionalProperties: true } as const;
  const login = defineTool({
    name: "login",
    description: "Logs in",
    effect: "read",
    input,
    run: (args) => result ?? { header: `Bearer ${String(args["token"])}`, ...args, other, user: "user" },
  });
  const use = defineTool({
    name: "use",
    description: "Uses it",
    effect: "once",
    input,
    run: (args) => sent.push(args),
  });
  const engine = createEngine({ tools: [login, use], secrets: values, redactor, permissions: { ask: [] } });
  const chains = new ChainLibrary({ tools: engine.tools });
  chains.add({ name: spec.name, spec });
  const runs = new ChainRuns({ engine, journal: store.runs, approvals: store.approvals, chains });
  const approve = async (): Promise<void> => {
    for (const { id } of await store.approvals.list(Date.now(), "pending"))
      await store.approvals.decide(id, { approved: true }, Date.now());
  };
  return { engine, chains, runs, sent, store, approve };
}

/** Everything that is on the disk. */
function onDisk(dir: string): string {
  return readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), "latin1"))
    .join("\n");
}

async function suspended(note: unknown = "", result?: unknown): Promise<string> {
  const dir = await folderWith({});
  const { runs, chains, approve, store } = await openProcess(dir, secrets, result);
  expect(await runs.start(chains.plan("send"), { runId: "r", input: { note } })).toMatchObject({ status: "waiting" });
  await approve();
  await runs.close();
  await store.close();
  closing.length = 0;
  return dir;
}

describe("[S10] the journal of a run", () => {
  test("contains no known secret, and the run resumes with the values of secret references", async () => {
    const dir = await suspended({ with: `a ${token}`, and: other });
    expect(onDisk(dir)).not.toContain(token);
    expect(onDisk(dir)).not.toContain(other);
    const { runs, sent } = await openProcess(dir);
    expect(await runs.resume("r")).toMatchObject({ status: "success" });
    expect(sent).toEqual([
      {
        login: { header: `Bearer ${token}`, token, other: "[redacted]", user: "user" },
        note: { with: `a ${token}`, and: "[redacted]" },
      },
    ]);
    await runs.close();
    expect(onDisk(dir)).not.toContain(token);
  });

  test("does not let a run resume with another value of a secret", async () => {
    const dir = await suspended();
    const rotated = await openProcess(dir, { ...secrets, TOKEN: "tok-rotated-since" });
    await expect(rotated.runs.resume("r")).rejects.toMatchObject({ code: "run_changed", reason: "secret_changed" });
    expect(await rotated.runs.inspect("r")).toMatchObject({ status: "waiting" });
    expect(JSON.stringify(await rotated.runs.inspect("r"))).toContain("[secret TOKEN]");
    const { TOKEN: _token, ...rest } = secrets;
    const missing = await openProcess(dir, rest);
    await expect(missing.runs.resume("r")).rejects.toMatchObject({ code: "not_available", reason: "secret_not_set" });
    expect([...rotated.sent, ...missing.sent]).toEqual([]);
    const { runs, sent } = await openProcess(dir);
    expect(await runs.resume("r")).toMatchObject({ status: "success" });
    expect(sent).toHaveLength(1);
  });

  test("a rerun from a step needs the former value, and one from the beginning does not", async () => {
    const dir = await suspended();
    const { runs, sent, approve } = await openProcess(dir, { ...secrets, TOKEN: "tok-rotated-since" });
    await expect(runs.rerun("r", { from: "use" })).rejects.toMatchObject({ reason: "secret_changed" });
    const again = await runs.rerun("r");
    await approve();
    expect(await runs.resume(again.runId)).toMatchObject({ status: "success" });
    expect(sent).toMatchObject([{ login: { token: "tok-rotated-since" } }]);
  });

  test("joining a run with the same input is possible although the input contained secrets", async () => {
    const dir = await suspended(`${token} and ${other}`);
    const { runs, chains } = await openProcess(dir);
    const start = (note: string) => runs.start(chains.plan("send"), { runId: "r", input: { note } });
    expect(await start(`${token} and ${other}`)).toMatchObject({ status: "success" });
    await expect(start(token)).rejects.toMatchObject({ code: "run_exists" });
  });

  test.each([
    ["a handle", { $sealed: ["", ["TOKEN", "AAAAAA"], ""] }],
    ["a sealed event", { $sealed_run: 1, $sealed: { object: { token } } }],
    ["a handle next to a secret", { token, $sealed: ["", ["TOKEN", "AAAAAA"], ""] }],
    ["a wrapped object", { token, $sealed: { object: { x: 1 } } }],
  ])("a result that looks like %s is restored as it was", async (_name, result) => {
    const dir = await suspended(result, result);
    const { runs, sent } = await openProcess(dir);
    expect(await runs.resume("r")).toMatchObject({ status: "success" });
    expect(sent).toEqual([{ login: result, note: result }]);
  });

  test("contains no known secret of a prompt, an answer or a failure of an agent", async () => {
    const dir = await folderWith({});
    const { engine, store } = await openProcess(dir);
    const model = scriptedModel([{ toolCalls: [{ name: "login", args: { token: other } }] }, `it is ${other}`, "done"]);
    const runs = new AgentRuns({
      engine,
      journal: store.runs,
      approvals: store.approvals,
      runner: findRunner,
      model: () => model,
    });
    const session = new Agent(runs, resolveAgentSpec("autonomous")).session();
    await session.send(`use ${other}, please`);
    await session.send(`${other} again`);
    await runs.close();
    await store.close();
    closing.length = 0;
    expect(onDisk(dir)).not.toContain(other);
    expect(onDisk(dir)).toContain("please");
  });
});
