import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { folderWith } from "../../../test/support/workspace.ts";
import { openMemoryStore } from "../../adapters/index.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { createInMemoryRecords } from "../../store/index.ts";
import type { AnyTool, ToolResult } from "../../tool/index.ts";
import {
  type MemoryService,
  type MemoryRecallOutput,
  type MessageLog,
  conversationHistoryTool,
  createMemoryService,
  memoryForgetTool,
  memoryRecallTool,
  memoryStoreTool,
} from "./index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Opened {
  readonly engine: Engine;
  readonly memories: MemoryService;
  readonly clock: FakeClock;
  readonly tools: readonly AnyTool[];
  readonly file: string;
}

async function open(messages?: MessageLog): Promise<Opened> {
  const file = join(await folderWith({}), "memory.db");
  const store = openMemoryStore({ file });
  const clock = new FakeClock();
  const memories = createMemoryService({ store, clock });
  const records = createInMemoryRecords();
  const tools = [
    memoryStoreTool({ memories }),
    memoryRecallTool({ memories }),
    memoryForgetTool({ memories }),
    conversationHistoryTool({ records, ...(messages !== undefined && { messages }) }),
  ];
  const engine = createEngine({ tools, records });
  closing.push(async () => {
    await engine.close();
    await store.close();
  });
  return { engine, memories, clock, tools, file };
}

function outputOf(result: ToolResult): unknown {
  if (!result.success) throw new Error(result.error.message);
  return result.output;
}

test("[A17] memory_store returns the id, and memory_recall finds it in the shape of a search", async () => {
  const { engine, memories } = await open();
  const stored = await engine.call("memory_store", {
    content: "- 绳子湿了会缩短\n- Rope shrinks when wet",
    metadata: { topic: "Rope care", sources: ["https://example.org/rope"], type: "research" },
    tags: ["rope"],
  });
  expect(stored).toMatchObject({ success: true, output: expect.stringMatching(/^mem-[0-9a-f]{32}$/) });
  const id = String(outputOf(stored));
  expect(stored.meta).toMatchObject({ memoryId: id, created: true });
  for (const query of ["rope", "绳子", "wet rope shrinks", "care"]) {
    expect(outputOf(await engine.call("memory_recall", { query }))).toEqual({
      provider: "memory",
      results: [
        {
          title: "Rope care",
          url: `memory:${id}`,
          snippet: "- 绳子湿了会缩短 - Rope shrinks when wet",
          id,
          score: 1,
          type: "research",
          tags: ["rope"],
          metadata: { topic: "Rope care", sources: ["https://example.org/rope"], type: "research" },
          created_at: "2026-01-01T00:00:00.000Z",
          updated_at: "2026-01-01T00:00:00.000Z",
        },
      ],
    });
  }
  expect(await memories.get(`memory:${id}`)).toMatchObject({ id, text: expect.stringContaining("Rope shrinks") });
  expect(await memories.get("memory:unknown")).toBeUndefined();
});

test("[A17] storing the same content twice gives one memory with the metadata of both", async () => {
  const { engine, tools } = await open();
  const first = await engine.call("memory_store", { content: "\n \r\nRope shrinks \r\n", metadata: { a: 1 } });
  const again = await engine.call("memory_store", { content: "Rope shrinks", metadata: { b: 2 }, type: "fact" });
  expect(outputOf(again)).toBe(outputOf(first));
  expect(again.meta).toMatchObject({ created: false });
  expect(outputOf(await engine.call("memory_recall", { query: "rope" }))).toMatchObject({
    results: [{ metadata: { a: 1, b: 2 }, type: "fact" }],
  });
  const objects = [
    { x: 1, y: [2] },
    { y: [2], x: 1 },
  ].map((content) => engine.call("memory_store", { content }));
  const [one, other] = await Promise.all(objects);
  expect(one?.success && one.output).toBe(other?.success && other.output);
  const [store] = tools;
  expect(store).toMatchObject({ effect: "idempotent", destructive: false });
});

test("texts that differ in white space within are two memories, such as code", async () => {
  const { engine } = await open();
  const store = async (content: string): Promise<string> =>
    String(outputOf(await engine.call("memory_store", { content })));
  const one = await store("if wet:\n    coil()\nstow()");
  expect(await store("if wet:\n    coil()\n    stow()")).not.toBe(one);
  expect(await store("if wet:\n  coil()\nstow()")).not.toBe(one);
  expect(await store("    if wet:\n    coil()\nstow()")).not.toBe(one);
  // Line endings and blank lines around the content do not matter.
  expect(await store("\n\nif wet:\r\n    coil()\r\nstow()\n\n")).toBe(one);
});

test("a later title replaces the earlier one", async () => {
  const { engine, memories } = await open();
  const content = "Rope shrinks when wet";
  const titleAfter = async (metadata: object): Promise<string | undefined> => {
    const id = String(outputOf(await engine.call("memory_store", { content, metadata })));
    return (await memories.get(id))?.title;
  };
  expect(await titleAfter({})).toBe(content);
  expect(await titleAfter({ topic: "Rope care" })).toBe("Rope care");
  expect(await titleAfter({ title: "Wet rope" })).toBe("Wet rope");
  expect(await titleAfter({ topic: "Rigging" })).toBe("Wet rope");
  expect(await titleAfter({})).toBe("Wet rope");
  expect(await titleAfter({ title: "Hemp" })).toBe("Hemp");
  expect(outputOf(await engine.call("memory_recall", { query: "hemp" }))).toMatchObject({
    results: [{ title: "Hemp" }],
  });
  expect(outputOf(await engine.call("memory_recall", { query: "rigging" }))).toMatchObject({ results: [] });
});

test("matches beyond the limit are reported as truncated and deleted by the next call", async () => {
  const { engine } = await open();
  for (let number = 0; number < 130; number++) await engine.call("memory_store", { content: `old rope ${number}` });
  const look = async (): Promise<{ confirm: string }> =>
    outputOf(await engine.call("memory_forget", { query: "rope" })) as { confirm: string };
  const { confirm, ...reported } = await look();
  expect(reported).toMatchObject({ forgotten: 0, truncated: true });
  expect(confirm).toMatch(/^100-/);
  const gone = outputOf(await engine.call("memory_forget", { query: "rope", confirm }));
  expect(gone).toMatchObject({ forgotten: 100, truncated: true });
  expect((gone as { removed: unknown[] }).removed).toHaveLength(100);
  expect(await look()).toMatchObject({ confirm: expect.stringMatching(/^30-/) as string });
  expect(await look()).not.toHaveProperty("truncated");
});

test("memories of one namespace are not found from another, and each limit is understood", async () => {
  const { engine } = await open();
  for (let number = 0; number < 8; number++) await engine.call("memory_store", { content: `rope ${number}` });
  const id = String(outputOf(await engine.call("memory_store", { content: "rope 1", namespace: "ann" })));
  const recall = async (args: object): Promise<number> =>
    (outputOf(await engine.call("memory_recall", { query: "rope", ...args })) as MemoryRecallOutput).results.length;
  expect(await recall({ namespace: "ann" })).toBe(1);
  expect(await recall({})).toBe(5);
  expect(await recall({ limit: 2 })).toBe(2);
  expect(await recall({ count: 3 })).toBe(3);
  expect(await recall({ max_results: 50 })).toBe(8);
  expect(id).not.toBe(outputOf(await engine.call("memory_store", { content: "rope 1" })));
});

test.each([
  [{ content: "" }, "empty_content"],
  [{ content: "  \n" }, "empty_content"],
  [{ content: {} }, "empty_content"],
  [{ content: null }, "empty_content"],
  [{ content: "x".repeat(300_000) }, "too_large"],
  [{ content: { a: "x".repeat(600_000) } }, "too_large"],
  [{ content: "x", metadata: { a: "x".repeat(40_000) } }, "too_large"],
  [{ content: "x", namespace: "../x" }, "bad_namespace"],
  [{ content: "x", namespace: "" }, "bad_namespace"],
])("memory_store refuses %#: %s", async (args, reason) => {
  const { engine } = await open();
  expect(await engine.call("memory_store", args)).toMatchObject({
    success: false,
    error: { code: "validation_error", reason, retry: "never" },
  });
});

test("[hostile] deeply nested content is stored, and pretty-printed only if that stays small", async () => {
  const { engine } = await open();
  const deep = JSON.parse(`${"[".repeat(120)}${"1,".repeat(60_000)}"anchor"${"]".repeat(120)}`) as unknown;
  const began = process.threadCpuUsage();
  expect(await engine.call("memory_store", { content: deep })).toMatchObject({ success: true });
  // Laid out it would have 14 million characters.
  expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(400);
  expect(outputOf(await engine.call("memory_recall", { query: "anchor" }))).toMatchObject({ results: [{}] });
});

test("[hostile] keys that reach into prototypes stay keys", async () => {
  const { engine } = await open();
  const metadata = JSON.parse('{"__proto__x":1,"constructor":{"a":1},"toString":"x"}') as object;
  expect(await engine.call("memory_store", { content: "rope", metadata })).toMatchObject({ success: true });
  expect(outputOf(await engine.call("memory_recall", { query: "rope" }))).toMatchObject({ results: [{ metadata }] });
});

test("forgetting by id takes that memory alone, and a second time does nothing", async () => {
  const { engine } = await open();
  const id = String(outputOf(await engine.call("memory_store", { content: "rope one" })));
  await engine.call("memory_store", { content: "rope two" });
  expect(await engine.call("memory_forget", { id: `memory:${id}` })).toMatchObject({
    output: { forgotten: 1, removed: [{ id, title: "rope one" }] },
  });
  expect(await engine.call("memory_forget", { id })).toMatchObject({ output: { forgotten: 0, removed: [] } });
  expect(outputOf(await engine.call("memory_recall", { query: "rope" }))).toMatchObject({
    results: [{ title: "rope two" }],
  });
});

test("as many memories as were confirmed, but others, are not forgotten", async () => {
  const { engine } = await open();
  const id = String(outputOf(await engine.call("memory_store", { content: "old rope" })));
  const look = async (): Promise<string> =>
    (outputOf(await engine.call("memory_forget", { query: "rope" })) as { confirm: string }).confirm;
  const confirm = await look();
  await engine.call("memory_forget", { id });
  await engine.call("memory_store", { content: "the only rope worth keeping" });
  expect(await engine.call("memory_forget", { query: "rope", confirm })).toMatchObject({
    success: false,
    error: { code: "validation_error", reason: "matches_differ", retry: "never" },
  });
  expect(outputOf(await engine.call("memory_recall", { query: "rope" }))).toMatchObject({
    results: [{ title: "the only rope worth keeping" }],
  });
  expect(await engine.call("memory_forget", { query: "rope", confirm: await look() })).toMatchObject({
    output: { forgotten: 1 },
  });
});

test("confirmed memories that are already gone count as deleted", async () => {
  const { engine } = await open();
  await engine.call("memory_store", { content: "old rope" });
  const { confirm } = outputOf(await engine.call("memory_forget", { query: "rope" })) as { confirm: string };
  expect(await engine.call("memory_forget", { query: "rope", confirm })).toMatchObject({ output: { forgotten: 1 } });
  expect(await engine.call("memory_forget", { query: "rope", confirm })).toMatchObject({
    output: { forgotten: 0, removed: [] },
  });
});

test("a recall with must_find fails if nothing is found", async () => {
  const { engine } = await open();
  expect(await engine.call("memory_recall", { query: "rope", must_find: true })).toMatchObject({
    success: false,
    error: { code: "execution_error", reason: "nothing_found", retry: "never" },
  });
  await engine.call("memory_store", { content: "wet rope" });
  expect(await engine.call("memory_recall", { query: "rope", must_find: true })).toMatchObject({
    output: { results: [{ title: "wet rope" }] },
  });
});

test("forgetting by query first lists the matches, and deletes only confirmed ones", async () => {
  const { engine, tools } = await open();
  const ids: unknown[] = [];
  for (const content of ["wet rope", "dry rope", "sail"]) {
    ids.push(outputOf(await engine.call("memory_store", { content })));
  }
  const forget = tools[2] as AnyTool;
  const { effect, destructive } = forget as {
    effect: (args: object) => string;
    destructive: (args: object) => boolean;
  };
  expect([effect({ query: "rope" }), destructive({ query: "rope" })]).toEqual(["read", false]);
  expect([effect({ query: "rope", confirm: "2-x" }), destructive({ id: "x" })]).toEqual(["idempotent", true]);
  const { confirm, ...looked } = outputOf(await engine.call("memory_forget", { query: "rope" })) as { confirm: string };
  expect(looked).toMatchObject({ forgotten: 0, matches: [expect.anything(), expect.anything()] });
  for (const guessed of ["2", "1-0000000000000000"]) {
    expect(await engine.call("memory_forget", { query: "rope", confirm: guessed })).toMatchObject({
      error: { code: "validation_error", reason: "matches_differ" },
    });
  }
  const done = await engine.call("memory_forget", { query: "rope", confirm });
  const { removed, ...rest } = outputOf(done) as { removed: { id: string; title: string }[] };
  expect(rest).toEqual({ forgotten: 2 });
  expect(removed.toSorted((a, b) => (a.title < b.title ? -1 : 1))).toEqual([
    { id: ids[1], title: "dry rope" },
    { id: ids[0], title: "wet rope" },
  ]);
  expect(outputOf(await engine.call("memory_recall", { query: "rope sail" }))).toMatchObject({
    results: [{ title: "sail" }],
  });
  expect(await engine.call("memory_forget", {})).toMatchObject({ error: { reason: "missing_selector" } });
});

test("a memory stored by one process is recalled by another, even if the first was killed right after", async () => {
  const { engine, file } = await open();
  const program = `
    import { openMemoryStore } from ${JSON.stringify(join(import.meta.dirname, "../../adapters/index.ts"))};
    import { createMemoryService } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
    const memories = createMemoryService({ store: openMemoryStore({ file: process.argv[1] }) });
    const { memory } = await memories.store({ content: "绳子 rope of hemp" });
    process.stdout.write(memory.id, () => process.kill(process.pid, "SIGKILL"));`;
  let id = "";
  try {
    execFileSync(process.execPath, ["--input-type=module-typescript", "-e", program, file], { encoding: "utf8" });
  } catch (error) {
    id = (error as { stdout: string }).stdout;
  }
  expect(outputOf(await engine.call("memory_recall", { query: "绳子" }))).toMatchObject({
    results: [{ url: `memory:${id}` }],
  });
});

test("[E09] get_conversation_history returns calls and messages, oldest first, with long texts cut", async () => {
  const requested: string[] = [];
  const { engine } = await open({
    messages: async (conversationId) => {
      requested.push(conversationId);
      return [{ role: "user", content: "hello ".repeat(200), at: 0 }];
    },
  });
  const context = { conversationId: "c1" };
  await engine.call("memory_store", { content: "rope" }, context);
  await engine.call("memory_store", { content: "" }, context);
  await engine.call("memory_store", { content: "other" }, { conversationId: "c2" });
  const history = outputOf(await engine.call("get_conversation_history", {}, context));
  expect(history).toMatchObject({
    conversation_id: "c1",
    history: [
      { kind: "message", role: "user", content: expect.stringMatching(/^hello .{0,510}…$/) },
      { kind: "call", tool: "memory_store", success: true, arguments: '{"content":"rope"}' },
      { kind: "call", success: false, result: expect.stringContaining("validation_error: content is empty") },
    ],
    summary: { total_calls: 2, success_rate: 50, tool_usage: { memory_store: 2 } },
    truncated: true,
  });
  expect(requested).toEqual(["c1"]);
  expect(outputOf(await engine.call("getConversationHistory", { limit: 1 }, context))).toMatchObject({
    history: [{ tool: "get_conversation_history" }],
    truncated: true,
  });
});

test("a conversation reads no other one's history", async () => {
  const { engine } = await open();
  const other = await engine.call("get_conversation_history", { conversation_id: "c2" }, { conversationId: "c1" });
  expect(other).toMatchObject({ error: { code: "permission_denied", reason: "other_conversation" } });
  expect(await engine.call("get_conversation_history", {})).toMatchObject({ error: { reason: "no_conversation" } });
  expect(await engine.call("get_conversation_history", { conversation_id: "c2" })).toMatchObject({
    output: { conversation_id: "c2", history: [], truncated: false },
  });
});

test("every example of these tools runs", async () => {
  const { engine, tools } = await open();
  for (const { name, input } of tools) {
    const examples = input.json["examples"] as object[];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(await engine.call(name, example)).toMatchObject({ success: true });
  }
});
