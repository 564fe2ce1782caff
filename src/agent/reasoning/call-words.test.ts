import { expect, test } from "vitest";
import { agentWorld } from "../../../test/support/agent-world.ts";
import { isRecord } from "../../schema/index.ts";
import { callWords } from "./call-words.ts";

/** Whatever they take, it says nothing to people. */
const aboutNothing: ReadonlySet<string> = new Set([
  "getFileTree",
  "getCurrentTime",
  "read_result",
  "get_conversation_history",
]);

test("a call of a built-in tool with words of its own is told by what the tool really takes", async () => {
  const { engine } = await agentWorld();
  const told = engine.tools.names().flatMap((name) => {
    const tool = engine.tools.get(name);
    if (tool === undefined) return [];
    const { properties } = tool.input.json as { readonly properties?: unknown };
    const names = isRecord(properties) ? Object.keys(properties) : [];
    const words = callWords(tool.name, Object.fromEntries(names.map((name) => [name, "some"])), "en");
    return words.startsWith("Calling") || aboutNothing.has(tool.name) ? [] : [{ tool: tool.name, words }];
  });
  expect(told.length).toBeGreaterThan(10);
  expect(told.filter(({ words }) => !words.includes('"some"'))).toEqual([]);
});

test("words for a time are told, and so is a search without words", () => {
  const week = { description: "last week" };
  expect(callWords("getTimeRangeMs", week, "en")).toBe('Working out when "last week" is');
  expect(callWords("getTimeRangeMs", { description: "上周" }, "zh")).toBe("正在确定“上周”的时间范围");
  expect(callWords("localSearch", { timeRange: { startTime: 1, endTime: 2 } }, "en")).toBe("Looking through the notes");
  expect(callWords("localSearch", {}, "zh")).toBe("正在查看笔记");
});
