import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { three, worldOf } from "../../test/support/candidates.ts";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { type SampleHandler, sampleTool } from "../../test/support/sample-tool.ts";
import { fail } from "../base/index.ts";
import type { HubLimits, Synthesizer } from "../hub/index.ts";
import { synthesizeResults } from "../hub/routing/synthesize-results.ts";
import { defaultHubLimits, hubTable } from "../hub/routing/hub-limits.ts";
import { settingKey } from "../schema/index.ts";
import { folderWith } from "../../test/support/workspace.ts";
import { openWorkspace } from "./open-workspace.ts";
import { parseWorkspace } from "./parse-workspace.ts";

const toolIndex = resolve(import.meta.dirname, "../tool/index.ts");

type Limits = Partial<HubLimits>;

/** The effect of a limit with its default, and with this setting. */
interface Shown {
  readonly value: number;
  readonly see: (limits: Limits) => Promise<unknown>;
  readonly defaults: unknown;
  readonly set: unknown;
}

const searches = { capabilities: ["search"] };
const long = "x".repeat(600);

/** Number of the four tools that run concurrently. */
async function maxAtOnce(hubLimits: Limits): Promise<number> {
  let [running, max] = [0, 0];
  const run: SampleHandler = async () => {
    max = Math.max(max, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    return "text";
  };
  const tools = ["a", "b", "c", "d"].map((name) => sampleTool(run, { name, capabilities: ["extract"] }));
  await worldOf(tools, { hubLimits }).call("capability:extract");
  return max;
}

/** Reports if a tool without a timeout is stopped after 1 s. */
async function afterOneSecond(hubLimits: Limits): Promise<string> {
  const clock = new FakeClock();
  const hangs: SampleHandler = (_args, { signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  const { call } = worldOf(three([hangs, hangs], { effect: "idempotent" }), { hubLimits, clock });
  const result = call("work");
  await settle();
  await clock.pass(1_000);
  const state = await Promise.race([result.then(({ success }) => (success ? "ok" : "stopped")), settled("runs on")]);
  await clock.pass(100_000);
  await result;
  return state;
}

async function settled<T>(value: T): Promise<T> {
  await settle();
  return value;
}

/** Returns the tool that is called first, a while after the first of two tools failed and the other succeeded. */
async function firstLater(hubLimits: Limits): Promise<string | undefined> {
  const clock = new FakeClock();
  const calls: string[] = [];
  let isDown = true;
  const mail: SampleHandler = () => {
    calls.push("mail");
    return isDown ? fail("down", { code: "not_available", retry: "safe" }) : "sent";
  };
  const post: SampleHandler = () => (calls.push("post"), "sent");
  const { call } = worldOf(three([mail, post], { effect: "idempotent" }), { hubLimits, clock });
  await call("work");
  isDown = false;
  await clock.pass(10_001);
  calls.length = 0;
  await call("work");
  return calls[0];
}

/**
 * Counts the calls of a tool that always fails while another one substitutes it; `pauses` are the seconds before each
 * call.
 */
async function triesOf(hubLimits: Limits, pauses: readonly number[]): Promise<number> {
  const clock = new FakeClock();
  let tries = 0;
  const bad: SampleHandler = () => {
    tries++;
    throw new Error("broken");
  };
  const tools = [
    sampleTool(bad, { name: "bad", capabilities: ["extract"] }),
    sampleTool(() => "text", { name: "good", capabilities: ["extract"] }),
  ];
  const { call } = worldOf(tools, { hubLimits, clock });
  for (const seconds of pauses) {
    await clock.pass(seconds * 1_000);
    await call("capability:extract");
  }
  return tries;
}

/** Returns the synthesized output of two tools with the same capability. */
async function together(hubLimits: Limits, outputs: readonly string[], answer = "one answer"): Promise<unknown> {
  const tools = outputs.map((output, at) => sampleTool(() => output, { name: `t${at}`, capabilities: ["extract"] }));
  const synthesiser = (): Promise<string> => Promise.resolve(answer);
  const result = await worldOf(tools, { hubLimits, synthesiser }).call("capability:extract");
  return result.success && result.output;
}

/** Reports if a model that never answers is still awaited after 2 s. */
async function waiting(hubLimits: Limits): Promise<string> {
  const clock = new FakeClock();
  const synthesiser: Synthesizer = () => new Promise(() => undefined);
  const result = worldOf(three([() => "a", () => "b"], searches), { hubLimits, clock, synthesiser }).call("work");
  await settle();
  await clock.pass(2_001);
  const state = await Promise.race([result.then(() => "merged"), settled("waits")]);
  await clock.pass(10_000);
  await result;
  return state;
}

/** Number of characters of each result in the prompt. */
async function read(
  kind: "calculate" | "search" | "extract" | "other",
  count: number,
  limits: Limits,
): Promise<number> {
  let prompt = "";
  await synthesizeResults({
    request: { tool: "t", arguments: {} },
    kind,
    results: Array.from({ length: count }, (_, at) => ({ source: `s${at}`, output: long })),
    limits: { ...defaultHubLimits, ...limits },
    synthesiser: (text) => ((prompt = text), Promise.resolve("one answer")),
    redactor: undefined,
    clock: new FakeClock(),
    signal: new AbortController().signal,
    log: () => undefined,
  });
  return /name="s0">\n(x*)/.exec(prompt)?.[1]?.length ?? 0;
}

/** A truncated text ends with a mark. */
const cutTo = (chars: number): number => chars - 1;

const shown = {
  max_parallel: { value: 2, see: maxAtOnce, defaults: 3, set: 2 },
  tool_timeout: { value: 1, see: afterOneSecond, defaults: "runs on", set: "stopped" },
  recency: { value: 10, see: firstLater, defaults: "post", set: "mail" },
  failure_threshold: { value: 1, see: (limits) => triesOf(limits, [0, 0, 0, 0, 0]), defaults: 3, set: 1 },
  cool_down: { value: 5, see: (limits) => triesOf(limits, [0, 0, 0, 6]), defaults: 3, set: 4 },
  max_cool_down: { value: 40, see: (limits) => triesOf(limits, [0, 0, 0, 31, 41]), defaults: 4, set: 5 },
  synthesis_chars: {
    value: 1,
    see: (limits) => together(limits, ["a", "b"]),
    defaults: "one answer",
    set: "[t0] a\n\n[t1] b",
  },
  synthesis_results: {
    value: 1,
    see: (limits) => together(limits, ["a", "b"]),
    defaults: "one answer",
    set: "[t0] a\n\n[t1] b",
  },
  synthesis_timeout: { value: 2, see: waiting, defaults: "waits", set: "merged" },
  calculate_chars: { value: 50, see: (limits) => read("calculate", 2, limits), defaults: cutTo(100), set: cutTo(50) },
  search_chars: { value: 50, see: (limits) => read("search", 3, limits), defaults: cutTo(200), set: cutTo(50) },
  search_few_chars: { value: 50, see: (limits) => read("search", 2, limits), defaults: cutTo(300), set: cutTo(50) },
  extract_chars: { value: 50, see: (limits) => read("extract", 2, limits), defaults: cutTo(300), set: cutTo(50) },
  other_chars: { value: 50, see: (limits) => read("other", 2, limits), defaults: cutTo(250), set: cutTo(50) },
  merge_chars: {
    value: 4,
    see: async (limits) => String(await together({ ...limits, synthesisResults: 1 }, [long, `${long}y`])).length,
    defaults: 2 * ("[t0] ".length + 300) + 2,
    set: 2 * ("[t0] ".length + 4) + 2,
  },
  answer_chars: {
    value: 9,
    see: async (limits) => String(await together(limits, ["a", "b"], "y".repeat(9_000))).length,
    defaults: 4_000,
    set: 9,
  },
} satisfies Record<string, Shown>;

function limitsIn(text: string): Limits {
  const { config, problems } = parseWorkspace(text, "windlass.yaml");
  expect(problems).toEqual([]);
  return config.hub;
}

describe("[C15] every key of hub: in windlass.yaml", () => {
  test.each(Object.entries<Shown>(shown))("%s takes effect", async (key, { value, see, defaults, set }) => {
    expect(await see(limitsIn(""))).toEqual(defaults);
    expect(await see(limitsIn(`hub: { ${key}: ${value} }\n`))).toEqual(set);
  });

  test("is in the list of settings, and there is no other", () => {
    expect(Object.entries(hubTable).map(([name, setting]) => settingKey(name, setting))).toEqual(Object.keys(shown));
    expect(Object.keys(hubTable)).toEqual(Object.keys(defaultHubLimits));
  });
});

describe("[C05] every key of capabilities: in windlass.yaml", () => {
  const { config } = parseWorkspace(
    'capabilities:\n  directory: can\n  keywords: { 发票: [invoice], search: [谷歌] }\n  declare: { "mcp:brave": [search], "mcp:shop/pay": [pay], lookup: [search] }\n',
    "windlass.yaml",
  );
  const { keywords, declared, directory } = config.capabilities;
  const named = (name: string, description = "Does something.") => sampleTool(() => name, { name, description });

  test("keywords and declare take effect, directory is where contracts are", () => {
    const { hub } = worldOf(
      [
        named("bill", "Writes an invoice."),
        named("ask", "用谷歌查资料。"),
        named("lookup"),
        { tool: named("brave/x"), source: "mcps", owner: "brave" },
        { tool: named("shop/pay"), source: "mcps", owner: "shop" },
        { tool: named("shop/look"), source: "mcps", owner: "shop" },
      ],
      { keywords, declared },
    );
    const having = (capability: string) => hub.withCapability(capability).map(({ tool }) => tool.name);
    expect(having("发票")).toEqual(["bill"]);
    expect(having("search")).toEqual(["ask", "lookup", "brave/x"]);
    expect(having("pay")).toEqual(["shop/pay"]);
    expect(directory).toBe("can");
  });
});

test("[C15] a workspace chooses as its file says, with the contracts of the folder that it names", async () => {
  const tool = (name: string, run: string): string =>
    `import { defineTool } from ${JSON.stringify(toolIndex)};\nexport default defineTool({ name: "${name}", description: "d", effect: "read", capabilities: ["tally"], run: ${run} });\n`;
  const dir = await folderWith({
    "windlass.yaml": "hub: { failure_threshold: 1 }\ncapabilities: { directory: can }\n",
    "can/tally.yaml": "name: tally\nkind: extract\ninput: { type: object }\n",
    "tools/bad.mjs": tool("bad", '() => { throw new Error("broken"); }'),
    "tools/good.mjs": tool("good", '() => "text"'),
  });
  const workspace = await openWorkspace(dir, { store: "memory", reload: false, env: {} });
  try {
    const { engine, hub } = workspace;
    expect(hub.capabilities().find(({ name }) => name === "tally")).toMatchObject({
      tools: ["bad", "good"],
      strategy: "synthesise",
      contract: { file: "can/tally.yaml" },
    });
    const first = await engine.call("capability:tally", {}, { maxRetries: 0 });
    const second = await engine.call("capability:tally", {}, { maxRetries: 0 });
    expect([first.meta["failedCount"], second.meta["failedCount"]]).toEqual([1, undefined]);
    expect(second.meta["skipped"]).toMatchObject([{ tool: "bad", message: expect.stringContaining("cooling down") }]);
  } finally {
    await workspace.close();
  }
});
