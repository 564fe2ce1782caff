import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { type ScriptedModel, scriptedModel } from "../../model/index.ts";
import type { AnyTool, Effect } from "../../tool/index.ts";
import type { AgentSpec } from "../run/agent-spec.ts";
import { createAgent } from "../create-agent.ts";
import { resultText } from "./talk-meter.ts";

type Call = readonly [name: string, args?: Readonly<Record<string, unknown>>];

/** A model that makes these calls, one in each round, and then answers. */
function calling(...calls: readonly Call[]): ScriptedModel {
  const turns = calls.map(([name, args = {}], n) => ({ toolCalls: [{ name, args, id: `c${n}` }] }));
  return scriptedModel([...turns, { text: "done" }]);
}

function ask(tools: readonly AnyTool[], model: ScriptedModel, spec: Partial<Omit<AgentSpec, "model">> = {}) {
  const engine = createEngine({ tools: [...tools], permissions: { ask: [], allow: ["* trusted"] } });
  return createAgent({ engine, model, maxRounds: 20, ...spec }).run("go");
}

/** What the last question says came of each call. */
function results(model: ScriptedModel): string[] {
  const prompt = model.calls.at(-1)?.prompt ?? [];
  return prompt.flatMap(({ role, content }) =>
    role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [resultText(part) ?? ""] : [])) : [],
  );
}

/** A tool that writes down with which value it ran, and then does this. */
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
  ])("is not made again when it %s, and the model is told why", async (_how, does, more) => {
    const { log, make } = logged("once", does);
    const model = calling(["send", { value: 1 }], ["send", { value: 1 }], ["send", { value: 2 }]);
    await ask([make("send", more)], model);
    expect(log).toEqual([1, 2]);
    const [first, second] = results(model);
    expect(first).toContain("It is not known whether send did its work");
    expect(second).toContain("It is not known whether send did its work");
    expect(second).toContain("the same as one above");
  });

  test("is made again where the tool says that nothing was done", async () => {
    const { log, make } = logged("once", ({ length }) => (length === 1 ? fail("busy", { retry: "safe" }) : "sent"));
    await ask([make("send")], calling(["send"], ["send"], ["send"]));
    expect(log).toHaveLength(2);
  });
});

describe("a call that was made before", () => {
  test("is made again where another write came in between", async () => {
    const { log, make } = logged("idempotent");
    const value = (it: string): Call => ["set", { value: it }];
    await ask([make("set")], calling(value("a"), value("a"), value("b"), value("a"), value("a")));
    expect(log).toEqual(["a", "b", "a"]);
  });

  test("is told of by its tool: its id may be another when its answer is put behind one that was asked at once", async () => {
    const look = sampleTool(({ value }) => `saw ${String(value)}`, { name: "look", effect: "read" });
    const model = scriptedModel(({ prompt }) => {
      const asked = prompt.findLastIndex(({ role }) => role === "user");
      const rounds = prompt.slice(asked).filter(({ role }) => role === "tool").length;
      if (JSON.stringify(prompt[asked]).includes("last") || rounds === 2) return "fine";
      return { toolCalls: [{ name: "look", args: { value: 1 }, id: `call_${rounds}` }] };
    });
    const agent = createAgent({ engine: createEngine({ tools: [look] }), model });
    await Promise.all(["a", "b"].map((question) => agent.run(question, { conversationId: "t" })));
    await agent.run("last", { conversationId: "t" });
    const same = "look was called before with the same arguments, and was not called again: its result is above.";
    expect(results(model)).toEqual(["saw 1", expect.stringContaining(same), "saw 1", expect.stringContaining(same)]);
    expect(results(model).join("\n")).not.toContain("call_");
  });

  test("and found nothing is made again once something was written", async () => {
    const written = logged("idempotent");
    const read = logged("read", ({ length }) => (length === 1 ? fail("no such file", { retry: "never" }) : "text"));
    const model = calling(["read"], ["read"], ["write"], ["read"]);
    await ask([written.make("write"), read.make("read")], model);
    expect(read.log).toHaveLength(2);
    expect(results(model).at(-1)).toBe("text");
  });

  test("and must run once is never made again, whatever was written", async () => {
    const sent = logged("once");
    const set = logged("idempotent");
    await ask([sent.make("send"), set.make("set")], calling(["send"], ["set"], ["send"]));
    expect(sent.log).toHaveLength(1);
  });

  test("and whose result was cleared gives its result again, without being made or counted as a repetition", async () => {
    const pages = logged("read", ({ length }) => `page ${length} `.repeat(800));
    const page = (value: number): Call => ["page", { value }];
    const model = calling(page(1), page(2), page(3), page(4), page(5), page(1), page(2), page(6), page(1));
    await ask([pages.make("page")], model, { contextTokens: 6000, viewChars: 20_000 });
    expect(pages.log).toEqual([1, 2, 3, 4, 5, 6]);
    const sixth = model.calls[6]?.prompt.at(-1);
    expect(JSON.stringify(sixth)).toContain("page 1 page 1");
    // The two rounds that only asked for what was cleared did not force an answer.
    expect(model.calls[7]?.toolChoice).toEqual({ type: "auto" });
  });
});

describe("a result that is cleared", () => {
  test("is not said to be kept where only its text has what looks like a handle", async () => {
    const page = sampleTool(({ value }) => `result:evil-handle.1 ${"text ".repeat(1500)} ${String(value)}`, {
      name: "page",
      effect: "read",
    });
    const calls = [1, 2, 3, 4, 5, 6].map((value): Call => ["page", { value }]);
    const model = calling(...calls);
    await ask([page], model, { contextTokens: 8000, viewChars: 20_000 });
    const [first] = results(model);
    expect(first).toContain("cleared to make room");
    expect(first).not.toContain("read_result");
  });
});
