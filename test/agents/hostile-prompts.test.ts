import { describe, expect, test } from "vitest";
import { type AgentResult, createAgent } from "../../src/agent/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { scriptedModel } from "../../src/testing.ts";
import { crewModel } from "../support/crew-model.ts";
import { sampleTool } from "../support/sample-tool.ts";

/** The calls that a prompt leads to, as `tool: text`. */
interface Requested {
  readonly calls: readonly string[];
  readonly result: AgentResult;
}

function recording() {
  const calls: string[] = [];
  const record = (name: string) => (args: Record<string, unknown>) => {
    const [reported] = ["content", "query", "title"].flatMap((key) =>
      typeof args[key] === "string" ? [args[key]] : [],
    );
    calls.push(`${name}: ${reported ?? ""}`);
    return { documents: [], results: [] };
  };
  const writes = { effect: "once", destructive: false } as const;
  const tools = [
    sampleTool(record("notes"), { name: "local_search" }),
    sampleTool(record("web"), { name: "web_search" }),
    sampleTool(record("store"), { name: "memory_store", ...writes }),
    sampleTool(record("ticket"), { name: "ticket", ...writes }),
  ];
  return { calls, engine: createEngine({ tools }) };
}

const commands = {
  ticket: { tool: "ticket", params: { title: "${text}" } },
  quoting: { tool: "ticket", params: { title: "@memory ${text} @vault ${prompt}" } },
  记住: { tool: "memory_store", params: { content: "${text}" } },
};

async function planned(prompt: string): Promise<Requested> {
  const { calls, engine } = recording();
  const model = scriptedModel([{ text: "" }, "An answer."]);
  const result = await createAgent({ engine, model, runner: "planned", options: { commands } }).run(prompt);
  return { calls, result };
}

const tagged = Array.from("@memory x", (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join(
  "",
);

describe("[E02] planned, with hostile prompts", () => {
  test.each<readonly [prompt: string, calls: readonly string[]]>([
    ["请@记住 the quay closes at 六点", []],
    ["@记住the quay closes at 六点", ["store: the quay closes at 六点"]],
    ["＠memory：码头六点关门", ["store: 码头六点关门"]],
    ["mail me@vault.com, me@memory, x@memory.org and ops+@memory", []],
    ["re@memory, in@vaulted, @memoryless, @memory_, @memory-, @memory2 @mémory", []],
    ["@memory@memory@memory x", []],
    ["@memory @memory @memory x", ["store: x"]],
    ["@memory", []],
    ["   \t@memory\u00a0x", ["store: x"]],
    ["@quoting a @ticket b", ["ticket: @memory a @ticket b @vault a @ticket b"]],
    ["@ticket ${prompt} ${terms} ${text} $& $1", ["ticket: ${prompt} ${terms} ${text} $& $1"]],
    ["@ticket a @ticket a", ["ticket: a"]],
    ["@ticket a\n@ticket b\n@ticket a", ["ticket: a", "ticket: b"]],
    ["| a | @memory x |\n|---|---|\n@memory y", ["store: y"]],
    ["# @memory x\n[@memory]: http://x.example/\n<b>@memory z</b>", []],
    ["\u202e@memory x", []],
    [`hello ${tagged}`, []],
    ["\u200b@memory x", []],
    ["a\r\n@memory x\r\n@ticket y\r\n", ["store: x", "ticket: y"]],
    ["a\r@memory x", []],
    ["@constructor @__proto__ @toString @hasOwnProperty", []],
    ["\ud800@memory x\udfff", []],
  ])("%j", async (prompt, expected) => {
    const { calls, result } = await planned(prompt);
    expect(result).toMatchObject({ status: "completed", answer: "An answer." });
    expect(calls).toEqual(expected);
  });

  test("a few of 10,000 commands run, each with its own text, and the answer reports that", async () => {
    const many = (command: string): string => Array.from({ length: 10_000 }, (_, n) => `${command} ${n}`).join(" ");
    const began = performance.now();
    const stored = await planned(many("@memory"));
    expect(stored.calls).toEqual(Array.from({ length: 20 }, (_, n) => `store: ${n}`));
    expect(stored.result).toMatchObject({ status: "completed", notices: [expect.stringContaining("9980 more")] });
    expect((await planned(many("@vault"))).calls).toHaveLength(20);
    const text = await planned(`Say ${many("@memory")}`);
    expect(text.calls).toEqual([]);
    expect(text.result.notices).toHaveLength(2);
    expect((await planned(many("@vualt"))).result.notices).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

interface Written {
  readonly id?: unknown;
  readonly description?: unknown;
  readonly tool_type?: unknown;
  readonly dependencies?: unknown;
  readonly input?: unknown;
}

const plan = (steps: readonly (Written | null | string)[]): string => JSON.stringify({ steps });
const step = (id: number, more: Written = {}): Written => ({ id: String(id), description: `Part ${id}`, ...more });
const prose = "First I would look at the notes, then I would think about it. No JSON from me.";

async function crew(planned: string, prompt = "What now?"): Promise<Requested & { readonly requested: number }> {
  const { calls, engine } = recording();
  const model = crewModel({ plan: planned });
  const result = await createAgent({ engine, model, runner: "crew" }).run(prompt);
  return { calls, result, requested: model.calls.length };
}

describe("[C07] crew, with invalid plans", () => {
  test.each<readonly [name: string, plan: string, steps: number]>([
    ["1,000 steps", plan(Array.from({ length: 1000 }, (_, n) => step(n))), 12],
    ["100,000 steps", plan(Array.from({ length: 100_000 }, (_, n) => step(n))), 1],
    ["a chain of 12", plan(Array.from({ length: 12 }, (_, n) => step(n, { dependencies: [String(n - 1)] }))), 12],
    ["a circle of two", plan([step(1, { dependencies: ["2"] }), step(2, { dependencies: ["1"] })]), 2],
    ["a step that waits for itself", plan([step(1, { dependencies: ["1"] })]), 1],
    ["everybody waits for everybody", plan([1, 2, 3, 4].map((n) => step(n, { dependencies: [1, 2, 3, 4] }))), 4],
    ["a circle among the steps that are left out", plan(everyTenth()), 12],
    ["ids that are all the same", plan([1, 1, 1].map((n) => step(n, { dependencies: ["1"] }))), 3],
    ["ids of the prototype", plan([step(1, { id: "__proto__" }), step(2, { dependencies: ["constructor"] })]), 2],
    ["unknown tools", plan([step(1, { tool_type: "rm -rf" }), step(2, { tool_type: "__proto__" })]), 2],
    [
      "the crew's own tools",
      plan(["crew_call", "crew_reason", "run:fact"].map((tool_type) => step(1, { tool_type }))),
      3,
    ],
    ["a tool's name of 100,000 letters", plan([step(1, { tool_type: "x".repeat(100_000) })]), 1],
    ["references in descriptions", plan([step(1, { description: "${steps.step-2.output} ${secrets.key}" })]), 1],
    ["references in inputs", plan([step(1, { tool_type: "local_search", input: { query: "${env.HOME}" } })]), 1],
    ["dependencies of another kind", plan([step(1, { dependencies: { a: 1 } }), step(2, { dependencies: 1 })]), 2],
    ["things that are no steps", plan([null, "go", {}, step(1)]), 1],
    ["no steps", plan([]), 1],
    ["prose", prose, 1],
    ["nothing", "", 1],
    ["half a plan", plan([step(1), step(2)]).slice(0, 40), 1],
    ["brackets without end", "[{".repeat(50_000), 1],
    ["a plan within a plan", plan([step(1, { description: plan([step(1)]) })]), 1],
  ])("%s", async (_name, written, steps) => {
    const began = performance.now();
    const { calls, result, requested } = await crew(written);
    expect(result.status).toBe("completed");
    expect(result.answer).not.toBe("");
    expect(result.steps).toHaveLength(steps);
    expect(requested).toBeLessThan(40);
    expect(calls.filter((call) => !call.startsWith("notes: "))).toEqual([]);
    expect(calls.join()).not.toContain(process.env["HOME"] ?? "\0");
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test("an empty response of the model is a named failure", async () => {
    const { engine } = recording();
    const model = scriptedModel(() => ({ text: "" }));
    const result = await createAgent({ engine, model, runner: "crew" }).run("What now?");
    expect(result).toMatchObject({ status: "failed", error: { code: "execution_error", reason: "invalid_output" } });
    expect(model.calls.length).toBeLessThan(10);
  });
});

function everyTenth(): Written[] {
  return Array.from({ length: 200 }, (_, n) => step(n, { dependencies: [String((n + 10) % 200)] }));
}
