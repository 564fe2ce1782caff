import { expect, test } from "vitest";
import { agentWorld } from "../../../test/support/agent-fixture.ts";
import { isRecord } from "../../schema/index.ts";
import { describeCall } from "./describe-call.ts";

/** Tools whose arguments are not informative for people. */
const aboutNothing: ReadonlySet<string> = new Set([
  "get_file_tree",
  "get_current_time",
  "read_result",
  "get_conversation_history",
]);

test("the description of a call of a built-in tool uses parameters that the tool really has", async () => {
  const { engine } = await agentWorld();
  const reported = engine.tools.names().flatMap((name) => {
    const tool = engine.tools.get(name);
    if (tool === undefined) return [];
    const { properties } = tool.input.json as { readonly properties?: unknown };
    const names = isRecord(properties) ? Object.keys(properties) : [];
    const words = describeCall({ tool: tool.name }, Object.fromEntries(names.map((name) => [name, "some"])), "en");
    return words.startsWith("Calling") || aboutNothing.has(tool.name) ? [] : [{ tool: tool.name, words }];
  });
  expect(reported.length).toBeGreaterThan(10);
  expect(reported.filter(({ words }) => !words.includes('"some"'))).toEqual([]);
});

test("a search by time is described, and so is a search without terms", () => {
  const week = { description: "last week" };
  expect(describeCall({ tool: "getTimeRangeMs" }, week, "en")).toBe('Working out when "last week" is');
  expect(describeCall({ tool: "getTimeRangeMs" }, { description: "上周" }, "zh")).toBe("正在确定“上周”的时间范围");
  expect(describeCall({ tool: "localSearch" }, { timeRange: { startTime: 1, endTime: 2 } }, "en")).toBe(
    "Searching the notes",
  );
  expect(describeCall({ tool: "localSearch" }, {}, "zh")).toBe("正在查看笔记");
});
