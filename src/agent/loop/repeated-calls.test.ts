import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { type ScriptedModel, scriptedModel } from "../../testing/index.ts";
import type { AnyTool, Effect } from "../../tool/index.ts";
import type { AgentSpec } from "../run/agent-spec.ts";
import { createAgent } from "../create-agent.ts";
import { resultText } from "./conversation-meter.ts";

type Call = readonly [name: string, args?: Readonly<Record<string, unknown>>];

/** A model that makes these calls, one in each round, and then answers. */
function calling(...calls: readonly Call[]): ScriptedModel {
  const turns = calls.map(([name, args = {}], n) => ({ toolCalls: [{ name, args, id: `c${n}` }] }));
  return scriptedModel([...turns, { text: "done" }]);
}

function runAgent(tools: readonly AnyTool[], model: ScriptedModel, spec: Partial<Omit<AgentSpec, "model">> = {}) {
  const engine = createEngine({ tools: [...tools], permissions: { ask: [], allow: ["* trusted"] } });
  return createAgent({ engine, model, maxRounds: 20, ...spec }).run("go");
}

/** Outcome of each call, according to the last model request. */
function results(model: ScriptedModel): string[] {
  const prompt = model.calls.at(-1)?.prompt ?? [];
  return prompt.flatMap(({ role, content }) =>
    role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [unfenced(resultText(part))] : [])) : [],
  );
}

/** The text inside of its envelope. */
function unfenced(text = ""): string {
  return text.replace(/^<data-.*\n/u, "").replace(/\n<\/data-.*$/u, "");
}

/** A tool that logs the value it ran with, and then does this. */
function logged(effect: Effect, does: (log: unknown[]) => unknown = () => "ok") {
  const log: unknown[] = [];
  const run = ({ value }: Record<string, unknown>): unknown => {
    log.push(value);
    return does(log);
  };
  return { log, make: (name: string, more = {}) => sampleTool(run, { name, effect, ...more }) };
}

describe("[E05] a call that must not run twice, and failed after it may have done its work", () => {
  const hang = (): Promise<never> => new Promise(() => {});
  const lose = (): never => {
    throw new Error("connection lost");
  };
  test.each([
    ["fails", () => fail("connection lost"), {}],
    ["throws", lose, {}],
    ["takes too long", hang, { timeoutMs: 20 }],
  ])("is not repeated when it %s, and the model gets the reason", async (_how, does, more) => {
    const { log, make } = logged("once", does);
    const model = calling(["send", { value: 1 }], ["send", { value: 1 }], ["send", { value: 2 }]);
    await runAgent([make("send", more)], model);
    expect(log).toEqual([1, 2]);
    const [first, second] = results(model);
    expect(first).toContain("It is not known whether send did its work");
    expect(second).toContain("It is not known whether send did its work");
    expect(second).toContain("the same as one above");
  });

  test("is repeated if the tool reports that nothing was done", async () => {
    const { log, make } = logged("once", ({ length }) => (length === 1 ? fail("busy", { retry: "safe" }) : "sent"));
    await runAgent([make("send")], calling(["send"], ["send"], ["send"]));
    expect(log).toHaveLength(2);
  });
});

describe("a call that was made before", () => {
  test("is repeated if another write came in between", async () => {
    const { log, make } = logged("idempotent");
    const value = (it: string): Call => ["set", { value: it }];
    await runAgent([make("set")], calling(value("a"), value("a"), value("b"), value("a"), value("a")));
    expect(log).toEqual(["a", "b", "a"]);
  });

  test("is identified by its tool: its id may change when its answer is appended after that of a concurrent prompt", async () => {
    const look = sampleTool(({ value }) => `saw ${String(value)}`, { name: "look", effect: "read" });
    const model = scriptedModel(({ prompt }) => {
      const requested = prompt.findLastIndex(({ role }) => role === "user");
      const rounds = prompt.slice(requested).filter(({ role }) => role === "tool").length;
      if (JSON.stringify(prompt[requested]).includes("last") || rounds === 2) return "fine";
      return { toolCalls: [{ name: "look", args: { value: 1 }, id: `call_${rounds}` }] };
    });
    const agent = createAgent({ engine: createEngine({ tools: [look] }), model });
    await Promise.all(["a", "b"].map((prompt) => agent.run(prompt, { conversationId: "t" })));
    await agent.run("last", { conversationId: "t" });
    const same = "look was already called with the same arguments, and was not run a second time: its result is above.";
    expect(results(model)).toEqual(["saw 1", expect.stringContaining(same), "saw 1", expect.stringContaining(same)]);
    expect(results(model).join("\n")).not.toContain("call_");
  });

  test("a call that found nothing is repeated once something was written", async () => {
    const written = logged("idempotent");
    const read = logged("read", ({ length }) => (length === 1 ? fail("no such file", { retry: "never" }) : "text"));
    const model = calling(["read"], ["read"], ["write"], ["read"]);
    await runAgent([written.make("write"), read.make("read")], model);
    expect(read.log).toHaveLength(2);
    expect(results(model).at(-1)).toBe("text");
  });

  test("a call that must run once is never repeated, even after a write", async () => {
    const sent = logged("once");
    const set = logged("idempotent");
    await runAgent([sent.make("send"), set.make("set")], calling(["send"], ["set"], ["send"]));
    expect(sent.log).toHaveLength(1);
  });

  test("a call whose result was cleared returns its result again, without running or counting as a repetition", async () => {
    const pages = logged("read", ({ length }) => `page ${length} `.repeat(800));
    const page = (value: number): Call => ["page", { value }];
    const model = calling(page(1), page(2), page(3), page(4), page(5), page(1), page(2), page(6), page(1));
    await runAgent([pages.make("page")], model, { contextTokens: 6000, resultChars: 20_000 });
    expect(pages.log).toEqual([1, 2, 3, 4, 5, 6]);
    const sixth = model.calls[6]?.prompt.at(-1);
    expect(JSON.stringify(sixth)).toContain("page 1 page 1");
    // The two rounds that only repeated cleared calls did not force an answer.
    expect(model.calls[7]?.toolChoice).toEqual({ type: "auto" });
  });
});

describe("a result that is cleared", () => {
  test("is not reported as stored if only its text contains something like a handle", async () => {
    const page = sampleTool(({ value }) => `result:evil-handle.1 ${"text ".repeat(1500)} ${String(value)}`, {
      name: "page",
      effect: "read",
    });
    const calls = [1, 2, 3, 4, 5, 6].map((value): Call => ["page", { value }]);
    const model = calling(...calls);
    await runAgent([page], model, { contextTokens: 8000, resultChars: 20_000 });
    const [first] = results(model);
    expect(first).toContain("cleared to make room");
    expect(first).not.toContain("read_result");
  });
});
