import { describe, expect, test } from "vitest";
import { ChainLibrary } from "../src/chain/chain-library.ts";
import { ChainRuns } from "../src/chain/chain-runs.ts";
import { AgentRuns, agentDefaults, agentTool, createAgent, findRunner } from "../src/agent/index.ts";
import { createEngine } from "../src/engine/index.ts";
import { DurableCalls, RunService } from "../src/run/index.ts";
import { scriptedModel } from "../src/testing/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../src/store/index.ts";
import { mock, mockTools } from "../src/testing/chain/mock-tools.ts";

/** Starts or submits the run `r` of one kind, with an input, for a principal. */
interface Kind {
  start(input: string, principal?: string): Promise<{ readonly status: string }>;
  submit(input: string, principal?: string): Promise<unknown>;
}

/** The kinds of runs in one process, and the calls that were made. */
function machine(secrets: Readonly<Record<string, string>> = {}) {
  const done: unknown[] = [];
  const tools = mockTools(["note"], { note: mock({ effect: "idempotent", answer: (args) => done.push(args) }) });
  const engine = createEngine({ tools, secrets });
  const approvals = createInMemoryApprovals();
  const service = new RunService({ journal: createInMemoryRunJournal({ approvals }), approvals, secrets: engine });
  const chains = new ChainLibrary({ tools: engine.tools });
  const step = { id: "a", tool: "note", params: { text: "${context.text}", key: "${secret.KEY}" } };
  chains.add({
    name: "c",
    spec: { name: "c", steps: [secrets["KEY"] === undefined ? { id: "a", tool: "note" } : step] },
  });
  const plan = chains.plan("c");
  const runs = new ChainRuns({ engine, chains, service });
  const model = scriptedModel([{ toolCalls: [{ name: "note", args: {} }] }, "noted"]);
  const agents = new AgentRuns({ engine, service, runner: findRunner, model: () => model });
  const spec = { ...agentDefaults, runner: "autonomous" };
  const calls = new DurableCalls({ engine, service });
  const of = (principal?: string) => ({ runId: "r", ...(principal !== undefined && { principal }) });
  const kinds: Record<string, Kind> = {
    chain: {
      start: (text, who) => runs.start(plan, { ...of(who), context: { text } }),
      submit: (text, who) => runs.submit(plan, { ...of(who), context: { text } }),
    },
    agent: {
      start: (text, who) => agents.start(spec, text, of(who)),
      submit: (text, who) => agents.submit(spec, text, of(who)),
    },
    call: {
      start: (text, who) => calls.start("note", { text }, of(who)),
      submit: (text, who) => calls.submit("note", { text }, of(who)),
    },
  };
  return { kinds, done, engine, service, spec, agents };
}

const exists = (message: string) => ({ code: "run_exists", message: expect.stringContaining(message) });

describe.each(["chain", "agent", "call"])("[N12] the id of a run of the kind %s", (name) => {
  const opened = () => {
    const { kinds, ...rest } = machine();
    const kind = kinds[name];
    if (kind === undefined) throw new Error(`there is no kind ${name}`);
    return { ...rest, kind, kinds };
  };

  test("returns the recorded result for the same input", async () => {
    const { kind, done } = opened();
    const first = await kind.start("a", "ann");
    expect(["success", "completed"]).toContain(first.status);
    expect((await kind.start("a", "ann")).status).toBe(first.status);
    await kind.submit("a", "ann");
    expect(done).toHaveLength(1);
  });

  test("joins a run that was submitted with the same input", async () => {
    const { kind, done } = opened();
    await kind.submit("a");
    await kind.submit("a");
    expect(done).toEqual([]);
    expect(["success", "completed"]).toContain((await kind.start("a")).status);
    expect(done).toHaveLength(1);
  });

  test("is refused with other input", async () => {
    const { kind, done } = opened();
    await kind.start("a");
    const differs = exists("run r already exists, with different");
    await expect(kind.start("b")).rejects.toMatchObject(differs);
    await expect(kind.submit("b")).rejects.toMatchObject(differs);
    expect(done).toHaveLength(1);
  });

  test.each([
    ["another one", "ann", "bob"],
    ["a caller without one", "ann", undefined],
    ["a caller with one", undefined, "bob"],
  ])("is refused to %s, regardless of the input", async (_who, first, second) => {
    const { kind, done } = opened();
    await kind.start("a", first);
    for (const input of ["a", "b"]) {
      const refused = exists("run r already exists, for another principal");
      await expect(kind.start(input, second)).rejects.toMatchObject(refused);
      await expect(kind.submit(input, second)).rejects.toMatchObject(refused);
    }
    expect(done).toHaveLength(1);
  });

  test("is refused to the other kinds", async () => {
    const { kind, kinds } = opened();
    await kind.start("a");
    for (const other of Object.values(kinds)) {
      if (other === kind) continue;
      await expect(other.start("a")).rejects.toMatchObject(exists(`run r already exists, of the ${name} `));
      await expect(other.start("a", "bob")).rejects.toMatchObject(exists("for another principal"));
    }
  });
});

test("[N12] the id of a chain's run is refused with another context, or to another principal, if the context holds a secret", async () => {
  const { kinds } = machine({ KEY: "correct-horse-battery" });
  await kinds["chain"]?.start("it is correct-horse-battery", "ann");
  await expect(kinds["chain"]?.start("it is correct-horse-battery", "ann")).resolves.toMatchObject({
    status: "success",
  });
  await expect(kinds["chain"]?.start("correct-horse-battery", "ann")).rejects.toMatchObject(
    exists("with different context: text"),
  );
  await expect(kinds["chain"]?.start("it is correct-horse-battery", "bob")).rejects.toMatchObject(
    exists("for another principal"),
  );
});

test("[N12] the id of an agent's run is refused with another image, conversation or runner", async () => {
  const { agents, spec } = machine();
  const image = { mimeType: "image/png", data: "AAAA" };
  await agents.start(spec, "a", { runId: "r", images: [image], conversationId: "c1" });
  const start = (how: object, runner = spec.runner) =>
    agents.start({ ...spec, runner }, "a", { runId: "r", images: [image], conversationId: "c1", ...how });
  await expect(start({ images: [{ ...image, data: "BBBB" }] })).rejects.toMatchObject(exists("input: images"));
  await expect(start({ conversationId: "c2" })).rejects.toMatchObject(exists("input: conversation"));
  await expect(start({}, "llm")).rejects.toMatchObject(exists("of the agent autonomous"));
  await expect(start({})).resolves.toMatchObject({ status: "completed" });
});

test("[N12] the recorded answer of an agent needs no model", async () => {
  const { agents, spec, service, engine } = machine();
  await agents.start(spec, "a", { runId: "r" });
  const without = new AgentRuns({ engine, service, runner: findRunner, model: () => undefined });
  await expect(without.start(spec, "a", { runId: "r" })).resolves.toMatchObject({
    status: "completed",
    answer: "noted",
  });
  await expect(without.start(spec, "a", { runId: "new" })).rejects.toMatchObject({ reason: "no_model" });
});

test("[N12] an agent as a tool gives its answer only to the principal that it was for", async () => {
  const inner = createAgent({ engine: createEngine(), model: scriptedModel(["for ann"]) });
  const engine = createEngine({ tools: [agentTool(inner, { name: "ask", description: "Answers" })] });
  const call = (principal: string) => engine.call("ask", { prompt: "?" }, { idempotencyKey: "k", principal });
  expect(await call("ann")).toMatchObject({ success: true, output: { answer: "for ann" } });
  expect(await call("ann")).toMatchObject({ output: { answer: "for ann" } });
  expect(await call("bob")).toMatchObject({ success: false, error: { code: "run_exists" } });
});
