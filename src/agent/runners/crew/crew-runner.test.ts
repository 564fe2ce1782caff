import { describe, expect, test } from "vitest";
import { worldOf } from "../../../../test/support/candidates.ts";
import { crewModel, lastText, plannedStep as step, systemOf } from "../../../../test/support/crew-model.ts";
import { sampleTool } from "../../../../test/support/sample-tool.ts";
import { ResultStore } from "../../../hub/index.ts";
import { fromJsonSchema } from "../../../schema/index.ts";
import type { AnyTool } from "../../../tool/index.ts";
import type { AgentEvent } from "../../events/agent-event.ts";
import { type AgentOptions, createAgent } from "../../create-agent.ts";

const expression = fromJsonSchema({
  type: "object",
  properties: { expression: { type: "string", minLength: 1 } },
  required: ["expression"],
  additionalProperties: false,
});
const query = fromJsonSchema({
  type: "object",
  properties: { query: { type: "string", minLength: 1 } },
  required: ["query"],
  additionalProperties: false,
});

const calculator = sampleTool(({ expression: text }) => ({ result: text === "12 * 7" ? 84 : 0 }), {
  name: "calculator",
  aliases: ["calculate"],
  description: "Calculates.",
  capabilities: ["calculate"],
  effect: "pure",
  input: expression,
});
const page = { title: "Tide mills", url: "https://mills.example/", snippet: "Tide mills run on the tide." };
const wiki = sampleTool(() => ({ results: [page] }), {
  name: "wiki",
  capabilities: ["search"],
  description: "Searches an encyclopedia.",
  input: query,
});
const brokenSearch = sampleTool(
  () => {
    throw new Error("the search engine is down");
  },
  { name: "web_search", aliases: ["search_web"], capabilities: ["search"], input: query },
);
const clockTool = (now: () => string | Promise<string>): AnyTool =>
  sampleTool(async () => ({ human: await now() }), { name: "get_time", capabilities: ["time"], effect: "read" });

function crew(tools: readonly AnyTool[], model: AgentOptions["model"], more: Partial<AgentOptions> = {}) {
  const { engine } = worldOf(tools);
  return createAgent({ engine, runner: "crew", ...(model && { model }), ...more });
}

describe("[C07] [C09] [C11] a prompt with five steps", () => {
  test("runs independent steps concurrently, falls back to capability and reasoning, and summarizes its tools", async () => {
    const both = Promise.withResolvers<void>();
    const seen = { search: false, time: false };
    const meet = (who: keyof typeof seen): Promise<void> => {
      seen[who] = true;
      // Neither continues before the other has started.
      if (seen.search && seen.time) both.resolve();
      return both.promise;
    };
    const search = sampleTool(
      async () => {
        await meet("search");
        throw new Error("the search engine is down");
      },
      { name: "web_search", aliases: ["search_web"], capabilities: ["search"], input: query },
    );
    const time = clockTool(() => meet("time").then(() => "2026-02-25 18:50"));
    const model = crewModel({
      plan: {
        steps: [
          step("1 search_web", "Search the web for tide mills"),
          step("2 get_time", "Tell the current time"),
          step("3 calculate", "Calculate 12 × 7", ["1"]),
          step("4 get_weather", "Say how the weather is at the mill", ["1"]),
          step("5 none", "Put everything together", ["1", "2", "3", "4"]),
        ],
      },
      steps: {
        "Say how the weather": "The weather there is not known.",
        "Put everything": "Tide mills run on the tide; it is evening.",
      },
      answer: "Tide mills run on the tide. 84 of them.",
    });
    const events: AgentEvent[] = [];
    const agent = crew([search, time, calculator, wiki], model);
    const result = await agent.run("What about tide mills?", { onEvent: (event) => events.push(event) });
    expect(result).toMatchObject({
      status: "completed",
      runner: "crew",
      answer: "Tide mills run on the tide. 84 of them.",
    });
    expect(result.steps?.map(({ id, by, called, status }) => ({ id, by, called, status }))).toEqual([
      { id: "step-1", by: "capability", called: "capability:search", status: "success" },
      { id: "step-2", by: "tool", called: "get_time", status: "success" },
      { id: "step-3", by: "tool", called: "calculate", status: "success" },
      { id: "step-4", by: "reasoning", called: undefined, status: "success" },
      { id: "step-5", by: "reasoning", called: undefined, status: "success" },
    ]);
    expect(result.steps?.map(({ text }) => text)).toEqual([
      "1. Tide mills (https://mills.example/): Tide mills run on the tide.",
      "2026-02-25 18:50",
      "84",
      "The weather there is not known.",
      "Tide mills run on the tide; it is evening.",
    ]);
    // [B15]
    expect(result.toolUsageSummary).toEqual({
      totalCalls: 4,
      successRate: 75,
      toolUsage: { web_search: 1, get_time: 1, "capability:search": 1, calculator: 1 },
      hasErrors: true,
    });
    expect(result.notices).toEqual([
      "step-1: the search engine is down; capability:search was used instead",
      'step-4: there is no tool "get_weather"; answered without a tool',
    ]);
    const parts = new Set(events.flatMap((event) => ("part" in event ? [event.part] : [])));
    expect(parts).toEqual(new Set(["plan", "step-1", "step-2", "step-3", "step-4", "step-5", "main"]));
    const deciders = events.flatMap((event) =>
      event.type === "tool-started" ? [[event.tool, event.initiator] as const] : [],
    );
    expect(Object.fromEntries(deciders)).toEqual({
      search_web: "model",
      get_time: "model",
      calculate: "model",
      "capability:search": "runner",
    });
    // plan, two steps of reasoning, the answer
    expect([result.rounds, result.usage.inputTokens]).toEqual([4, 40]);
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });
});

describe("[C07] the planner", () => {
  test("receives the core tools, some others, and the number of the rest", async () => {
    const many = Array.from({ length: 14 }, (_, at) =>
      sampleTool(() => at, { name: `extra_${at}`, description: `Extra ${at}.` }),
    );
    const model = crewModel({ plan: { steps: [step("1 none", "Think")] }, steps: { Think: "Thought." } });
    await crew([calculator, brokenSearch, ...many], model, { tools: ["calculator", "web_search", "extra_*"] }).run(
      "Hm?",
    );
    const reported = systemOf(model.calls[0] as (typeof model.calls)[number]);
    expect(reported).toContain("- none: think, without a tool");
    expect(reported).toContain("- search_web: Works.");
    expect(reported).toContain("- calculate: Calculates.");
    expect(reported).toContain("- extra_0: Extra 0.");
    expect(reported).toContain("(and 4 more, callable by name)");
  });

  test("an unusable plan is reported to the model once, and the model repairs it", async () => {
    const plans = ["I would search first.", { steps: [step("1 calculate", "12 * 7")] }];
    const model = crewModel({ plan: () => plans.shift() ?? "?", answer: "It is 84." });
    const result = await crew([calculator], model).run("12 times 7?");
    expect(result).toMatchObject({ status: "completed", answer: "It is 84.", notices: [] });
    expect(lastText(model.calls[1] as (typeof model.calls)[number])).toContain("- it holds no JSON object");
  });

  test("without a usable plan the prompt is one step of reasoning without a tool", async () => {
    const model = crewModel({ plan: "no plan, sorry" });
    const result = await crew([calculator], model).run("12 times 7?");
    expect(result).toMatchObject({ status: "completed", answer: "A thought.", rounds: 3 });
    expect(result.notices).toEqual([
      "there was no usable plan (it holds no JSON object): the prompt was answered in one step",
    ]);
    expect(lastText(model.calls[2] as (typeof model.calls)[number])).toBe("12 times 7?");
  });

  test("plans in Chinese, with the words of the prompt", async () => {
    const model = crewModel({
      plan: {
        steps: [step("步骤1 calculate", "计算 12 乘以 7"), step("步骤2 none", "解释结果", ["步骤1"])],
      },
      steps: { 解释结果: "结果是84。" },
      answer: "12乘以7等于84。",
    });
    const result = await crew([calculator], model).run("12乘以7是多少？");
    expect(result).toMatchObject({ status: "completed", answer: "12乘以7等于84。", notices: [] });
    expect(result.steps?.map(({ dependencies, text }) => ({ dependencies, text }))).toEqual([
      { dependencies: [], text: "84" },
      { dependencies: ["step-1"], text: "结果是84。" },
    ]);
  });

  test("a cycle and an unknown dependency are dropped with a notice, and all steps run", async () => {
    const model = crewModel({
      plan: { steps: [step("a none", "One", ["b", "ghost"]), step("b none", "Two", ["a", "b"])] },
    });
    const result = await crew([], model).run("Hm?");
    expect(result.steps?.map(({ id, status, dependencies }) => ({ id, status, dependencies }))).toEqual([
      { id: "step-1", status: "success", dependencies: ["step-2"] },
      { id: "step-2", status: "success", dependencies: [] },
    ]);
    expect(result.notices).toEqual([
      'step-1 waits for fewer steps than planned: there is no step "ghost"',
      "step-2 waits for fewer steps than planned: it cannot wait for itself",
      "step-2 does not wait for step-1: the dependencies of the plan form a cycle",
    ]);
  });
});

describe("[C10] input", () => {
  test("a calculation is found in the description, or in the results; without one the step is done by reasoning at once", async () => {
    const model = crewModel({
      plan: {
        steps: [
          step("1 none", "Set up the calculation"),
          step("2 calculate", "Calculate it", ["1"]),
          step("3 calculate", "Calculate the age of the mill"),
        ],
      },
      steps: { "Set up": "It is 12 * 7.", "Calculate the age": "About 850 years." },
    });
    let called = 0;
    const counted = sampleTool(() => (called++, { result: 84 }), {
      name: "calculator",
      aliases: ["calculate"],
      capabilities: ["calculate"],
      input: expression,
    });
    const other = sampleTool(() => (called++, { result: 1 }), {
      name: "abacus",
      capabilities: ["calculate"],
      input: expression,
    });
    const result = await crew([counted, other], model, { options: { answer: "last" } }).run("How old?");
    expect(result.steps?.map(({ by }) => by)).toEqual(["reasoning", "tool", "reasoning"]);
    expect(called).toBe(1);
    expect(result.notices).toEqual([
      'step-3: there is nothing to calculate in "Calculate the age of the mill"; answered without a tool',
    ]);
  });

  test("a search gets the search words, and a search of notes their terms", async () => {
    const requested: unknown[] = [];
    const notes = sampleTool((args) => (requested.push(args), { results: [page] }), {
      name: "localSearch",
      capabilities: ["search"],
      input: fromJsonSchema({
        type: "object",
        properties: { query: { type: "string" }, salientTerms: { type: "array", items: { type: "string" } } },
        required: ["query"],
        additionalProperties: false,
      }),
    });
    const model = crewModel({
      plan: {
        steps: [
          step("1 localSearch", 'Search my notes for the history of "tide mills" in Suffolk'),
          step("2 localSearch", "搜索关于潮汐磨坊和水车的资料"),
        ],
      },
    });
    await crew([notes], model).run("?");
    expect(requested).toEqual([
      {
        query: 'the history of "tide mills" in Suffolk',
        salientTerms: expect.arrayContaining(["tide mills", "Suffolk"]),
      },
      { query: "潮汐磨坊和水车", salientTerms: expect.arrayContaining(["潮汐磨坊", "水车"]) },
    ]);
    expect(model.calls).toHaveLength(2);
  });

  test("for any other tool the model fills in its schema from the results, and gets the validation errors", async () => {
    const requested: unknown[] = [];
    const fetchPage = sampleTool((args) => (requested.push(args), "The mill was built in 1170."), {
      name: "fetch_page",
      input: fromJsonSchema({
        type: "object",
        properties: { url: { type: "string", pattern: "^https://" } },
        required: ["url"],
        additionalProperties: false,
      }),
    });
    const inputs = [{ address: "mills.example" }, { url: "https://mills.example/" }];
    const model = crewModel({
      plan: {
        steps: [step("1 wiki", "Search for tide mills"), step("2 fetch_page", "Read the first result", ["1"])],
      },
      input: () => inputs.shift() ?? "?",
    });
    const events: AgentEvent[] = [];
    const result = await crew([wiki, fetchPage], model).run("When?", { onEvent: (event) => events.push(event) });
    expect(requested).toEqual([{ url: "https://mills.example/" }]);
    expect(result).toMatchObject({ status: "completed", rounds: 4, steps: [{ by: "tool" }, { by: "tool" }] });
    const [first, again] = model.calls.slice(1);
    expect(lastText(first as (typeof model.calls)[number])).toContain("https://mills.example/");
    expect(lastText(again as (typeof model.calls)[number])).toMatch(/url.*required/);
    const rounds = events.flatMap((event) => (event.type === "round-finished" ? [`${event.part}.${event.round}`] : []));
    expect(rounds).toEqual(["plan.1", "step-2.1", "step-2.2", "main.1"]);
  });

  test("time takes a named zone, history takes the requested kind", async () => {
    const requested: unknown[] = [];
    const time = sampleTool((args) => (requested.push(args), "2026-02-25 18:50"), {
      name: "get_time",
      capabilities: ["time"],
      input: fromJsonSchema({
        type: "object",
        properties: { timezone: { type: "string" } },
        additionalProperties: false,
      }),
    });
    const history = sampleTool((args) => (requested.push(args), { history: [] }), {
      name: "get_conversation_history",
      capabilities: ["history"],
      input: fromJsonSchema({
        type: "object",
        properties: { limit: { type: "integer" }, query_type: { enum: ["recent", "first"] } },
        additionalProperties: false,
      }),
    });
    const model = crewModel({
      plan: {
        steps: [
          step("1 get_time", "Tell the time in Tokyo", []),
          step("2 get_time", "现在几点", ["1"]),
          step("3 get_conversation_history", "Look at the last 5 messages", ["2"]),
          step("4 get_conversation_history", "第一个问题是什么", ["3"]),
        ],
      },
    });
    await crew([time, history], model).run("?");
    expect(requested).toEqual([
      { timezone: "Asia/Tokyo" },
      {},
      { limit: 5, query_type: "recent" },
      { query_type: "first" },
    ]);
  });

  test("valid arguments of the planner are used", async () => {
    const requested: unknown[] = [];
    const weather = sampleTool((args) => (requested.push(args), { sky: "clear" }), {
      name: "get_weather",
      input: fromJsonSchema({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
    });
    const model = crewModel({
      plan: { steps: [{ ...step("1 get_weather", "Weather"), input: { city: "Ipswich" } }] },
    });
    const result = await crew([weather], model, { options: { answer: "last" } }).run("Weather?");
    expect(requested).toEqual([{ city: "Ipswich" }]);
    expect(result).toMatchObject({ answer: '{"sky":"clear"}', rounds: 1 });
  });
});

describe("results", () => {
  test("are short in the answer; a step that depends on a large one reads a view of it, with the handle of the rest", async () => {
    const text = "The tide turns twice a day. ".repeat(1000);
    const long = sampleTool(() => text, { name: "fetch_page" });
    const model = crewModel({
      plan: { steps: [step("1 fetch_page", "Read the page"), step("2 none", "Sum it up", ["1"])] },
    });
    const { engine } = worldOf([long]);
    const resultStore = new ResultStore();
    const agent = createAgent({ engine, model, runner: "crew", resultStore, resultChars: 3000 });
    const result = await agent.run("?");
    expect(result.steps?.[0]?.text?.length).toBeLessThanOrEqual(500);
    const prompts = model.calls.map(lastText);
    expect(prompts[1]).toMatch(/read_result \{"handle":"result:/);
    expect(prompts[1]?.length).toBeGreaterThan(2500);
    expect(prompts[2]?.length).toBeLessThan(1500);
  });
});

describe("[C17] the verifier", () => {
  test("a step of reasoning that contradicts an earlier one is requested once more, with the issues", async () => {
    const text = ["The tide mill at Woodbridge was built in 1793.", "The tide mill at Woodbridge was built in 1170."];
    const model = crewModel({
      plan: { steps: [step("1 wiki", "Search for the mill"), step("2 none", "Say when it was built", ["1"])] },
      steps: { "Say when": () => text.shift() ?? "?" },
      answer: "It was built in 1170.",
    });
    const facts = sampleTool(() => "The tide mill at Woodbridge was built in 1170.", { name: "wiki" });
    const result = await crew([facts], model).run("When?");
    expect(result.steps?.[1]).toMatchObject({
      text: "The tide mill at Woodbridge was built in 1170.",
      verification: { verified: true },
    });
    expect(result.notices).toEqual([]);
    const again = model.calls.find((call) => lastText(call).startsWith("That cannot be right"));
    expect(lastText(again as (typeof model.calls)[number])).toContain(
      'step-1 says "The tide mill at Woodbridge was built in 1170."',
    );
  });

  test("remaining issues are marked: in the notices, for the model that writes the answer, and in a bare answer", async () => {
    const plan = {
      steps: [step("1 get_time", "Tell the current time"), step("2 none", "Say how many agree", ["1"])],
    };
    const steps = { "Say how many": "140% of the visitors agree." };
    const tools = [clockTool(() => "25:61")];
    const worded = crewModel({ plan, steps });
    const result = await crew(tools, worded).run("How many?");
    expect(result.steps?.map(({ verification }) => [verification?.verified, verification?.confidence])).toEqual([
      [false, 0.7],
      [false, 0.7],
    ]);
    expect(result.notices).toEqual([
      'step-1 is not verified: "25:61": an hour has no minute 61',
      'step-2 is not verified: "140%" is impossible: a percentage of a whole is between 0 and 100',
    ]);
    const prompt = lastText(worded.calls.at(-1) as (typeof worded.calls)[number]);
    expect(prompt).toContain("It is not verified:");
    expect(prompt).toContain("an hour has no minute 61");
    const bare = await crew(tools, crewModel({ plan, steps }), { options: { answer: "last" } }).run("How many?");
    expect(bare.answer).toBe(
      '140% of the visitors agree.\n\n(Not verified: "140%" is impossible: a percentage of a whole is between 0 and 100)',
    );
    const chinese = await crew(tools, crewModel({ plan, steps }), { options: { answer: "last" } }).run("多少人？");
    expect(chinese.answer).toContain("（未通过校验：");
  });

  test("an answer of the model that contradicts the steps is reported", async () => {
    const model = crewModel({
      plan: { steps: [step("1 calculate", "12 * 7"), step("2 none", "Say when the mill was built")] },
      steps: { "Say when": "The mill at Woodbridge was built in 1170." },
      answer: "The mill at Woodbridge was built in 1793.",
    });
    const { notices } = await crew([calculator], model).run("When?");
    expect(notices.join()).toMatch(/^the answer is not verified: .*step-2 says/);
  });
});

describe("[C18] the coordinator", () => {
  test("the model rewrites a tool result unless the settings disable it; a single reasoning step is the answer itself", async () => {
    const read = sampleTool(() => ({ path: "tides.md", size: 28, content: "# Tides" }), { name: "read_tides" });
    const file = { steps: [step("1 read_tides", "Read the tides note")] };
    const worded = await crew([read], crewModel({ plan: file, answer: "It is headed Tides." })).run(
      "Read the tides note",
    );
    expect(worded).toMatchObject({ answer: "It is headed Tides.", rounds: 2 });
    const plan = { steps: [step("1 calculate", "12 * 7")] };
    const bare = await crew([calculator], crewModel({ plan }), { options: { answer: "last" } }).run("12*7?");
    expect(bare).toMatchObject({ answer: "84", rounds: 1 });
    const thought = { steps: [step("1 none", "Think")] };
    expect(await crew([], crewModel({ plan: thought })).run("?")).toMatchObject({ answer: "A thought.", rounds: 2 });
    const model = crewModel({ plan: thought, answer: "In words." });
    const requested = await crew([], model, { options: { answer: "model" } }).run("?");
    expect(requested).toMatchObject({ answer: "In words.", rounds: 3 });
  });

  test("unusable options are reported, and have their default", async () => {
    const model = crewModel({ plan: { steps: [step("1 none", "Think")] } });
    const result = await crew([], model, { options: { maxSteps: "many", answer: "lst" } }).run("?");
    expect(result).toMatchObject({ answer: "A thought.", rounds: 2 });
    expect(result.notices).toEqual([
      "options.maxSteps is not a whole number, 1 or more, and was not used",
      'options.answer is not "auto" or "model" or "last", and was not used',
    ]);
  });

  test("the last result that is not empty is the answer, also if the model cannot write one", async () => {
    const empty = sampleTool(() => ({ results: [] }), { name: "nothing", capabilities: ["search"], input: query });
    const plan = { steps: [step("1 calculate", "12 * 7"), step("2 nothing", "Search for more")] };
    const last = await crew([calculator, empty], crewModel({ plan }), { options: { answer: "last" } }).run("?");
    expect(last.answer).toBe("84");
    const failing = crewModel({ plan, answer: new Error("no more tokens") });
    const result = await crew([calculator, empty], failing).run("?");
    expect(result).toMatchObject({ status: "completed", answer: "84" });
    expect(result.notices.join()).toMatch(/could not write the answer/);
  });

  test("if every step failed, the run fails with the error of the last", async () => {
    const model = crewModel({
      plan: { steps: [step("1 web_search", "Search for mills"), step("2 none", "Think", ["1"])] },
      steps: { Search: new Error("no model"), Think: new Error("no model") },
    });
    const result = await crew([brokenSearch], model).run("?");
    expect(result).toMatchObject({ status: "failed", answer: "" });
    expect(result.error?.message).toMatch(/^no step gave a result; step-2: /);
    expect(result.toolUsageSummary).toMatchObject({ totalCalls: 1, hasErrors: true });
  });

  test("a step whose dependency failed is informed of it, and continues", async () => {
    const model = crewModel({
      plan: { steps: [step("1 none", "First"), step("2 none", "Second", ["1"])] },
      steps: { First: new Error("the model is overloaded"), Second: "I know nothing of the first." },
    });
    const result = await crew([], model).run("?");
    expect(result.steps?.map(({ status }) => status)).toEqual(["failed", "success"]);
    const second = model.calls.find((call) => lastText(call).includes("nothing else: Second"));
    expect(lastText(second as (typeof model.calls)[number])).toContain("step-1 (First) gave nothing:");
  });
});

describe("[C11] degradation", () => {
  test("for an unknown tool, another one is found by the description in the plan", async () => {
    const model = crewModel({ plan: { steps: [step("1 google_search", "Search the web for tide mills")] } });
    const result = await crew([wiki], model).run("?");
    expect(result.steps).toMatchObject([{ by: "capability", called: "capability:search" }]);
    expect(result.notices.join()).toMatch(/there is no tool "google_search".*capability:search was used instead/);
  });

  test("tools that the agent may not use are not used under any name", async () => {
    let ran = 0;
    const other = sampleTool(() => ++ran, { name: "other", capabilities: ["search"], input: query });
    const model = crewModel({ plan: { steps: [step("1 other", "Search"), step("2 wiki", "Search for mills")] } });
    const result = await crew([other, wiki], model, { tools: ["wiki"] }).run("?");
    expect(ran).toBe(0);
    expect(result.steps?.map(({ by }) => by)).toEqual(["reasoning", "tool"]);
  });

  test("a write that failed half-way is not repeated by another tool", async () => {
    let ran = 0;
    const fails = sampleTool(
      () => {
        throw new Error("the line broke");
      },
      { name: "mail", capabilities: ["send"], effect: "idempotent" },
    );
    const other = sampleTool(() => ++ran, { name: "post", capabilities: ["send"], effect: "idempotent" });
    const model = crewModel({ plan: { steps: [step("1 mail", "Send the mail")] }, input: {} });
    const result = await crew([fails, other], model).run("?");
    expect(ran).toBe(0);
    expect(result.steps).toMatchObject([{ by: "reasoning" }]);
    const prompt = lastText(model.calls.at(-1) as (typeof model.calls)[number]);
    expect(prompt).toContain("the line broke");
    expect(prompt).toContain("do not say that anything was looked up or done");
  });
});

describe("[H14] a plan with too many steps", () => {
  const plan = { steps: Array.from({ length: 13 }, (_, at) => step(`${at + 1} none`, `Think of part ${at + 1}`)) };

  test.each([
    ["prose", "I cannot make it any shorter."],
    ["a plan without steps", { steps: [] }],
    ["a plan with broken steps", { steps: [{ tool: "none" }] }],
    ["the same plan", plan],
  ])("is shortened if the second answer is %s", async (_, second) => {
    const plans = [plan, second];
    const model = crewModel({ plan: () => plans.shift() ?? "" });
    const result = await crew([], model).run("What about everything?");
    expect(result).toMatchObject({ status: "completed", answer: "The answer." });
    expect(result.steps?.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (__, at) => `step-${at + 1}`));
    expect(result.notices).toEqual(["the plan had 13 steps; only the first 12 were done"]);
  });

  test("is replaced by a second plan that is short enough", async () => {
    const plans = [plan, { steps: [step("1 none", "Think of everything")] }];
    const result = await crew([], crewModel({ plan: () => plans.shift() ?? "" })).run("What about everything?");
    expect(result.steps).toHaveLength(1);
    expect(result.notices).toEqual([]);
  });
});
