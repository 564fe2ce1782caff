import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createChatRepairer } from "./repair-chat.ts";

type Call = { id?: string; index?: number; function: { name?: string; arguments?: unknown } };

function repaired(...deltas: object[]): Call[] {
  const repair = createChatRepairer();
  return deltas.flatMap((call) => {
    const text = repair(JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] }));
    return (JSON.parse(text) as { choices: { delta: { tool_calls: Call[] } }[] }).choices[0]?.delta.tool_calls ?? [];
  });
}

test("calls without ids and indexes get theirs, and further pieces belong to the previous call", () => {
  const [a, more, b, last] = repaired(
    { function: { name: "f", arguments: "{" } },
    { function: { arguments: "}" } },
    { function: { name: "g", arguments: "{}" } },
    { function: { arguments: "" } },
  );
  expect([a, more, b, last].map((call) => [call?.index, call?.id])).toEqual([
    [0, "call_0"],
    [0, undefined],
    [1, "call_1"],
    [1, undefined],
  ]);
});

test("ids assign a piece without an index to its call; existing indexes stay", () => {
  const calls = repaired(
    { id: "x", function: { name: "f", arguments: "" } },
    { id: "y", function: { name: "g", arguments: "" } },
    { id: "x", function: { arguments: "{}" } },
    { id: "z", index: 7, function: { name: "h", arguments: "" } },
  );
  expect(calls.map(({ index }) => index)).toEqual([0, 1, 0, 7]);
});

test("arguments of any type become text; entries that are not tool calls are dropped", () => {
  const input = [{ a: 1 }, {}, undefined, null, "x", 4];
  expect(
    repaired(...input.map((arguments_) => ({ index: 0, function: { name: "f", arguments: arguments_ } }))).map(
      (call) => call.function.arguments,
    ),
  ).toEqual(['{"a":1}', "", undefined, null, "x", "4"]);
  const whole = createChatRepairer()(
    '{"choices":[{"message":{"role":"tool","tool_calls":[{"function":{"name":"f"}},null]}}]}',
  );
  expect(JSON.parse(whole)).toEqual({
    choices: [{ message: { tool_calls: [{ id: "call_0", function: { name: "f", arguments: "" } }] } }],
  });
});

test("valid responses, and texts that are not JSON, stay unchanged", () => {
  const repair = createChatRepairer();
  for (const text of [
    "[DONE]",
    '{"choices":[{"delta":{"role":"assistant","content":"\\"tool_call"}}]}',
    '{"tool_calls" ',
    "null",
  ]) {
    expect(repair(text)).toBe(text);
  }
  expect(JSON.parse(repair('{"choices":null,"usage":{}}'))).toEqual({ choices: [], usage: {} });
  fc.assert(
    fc.property(fc.json(), (json) => void repair(json.replace("{", '{"tool_calls":[1],"choices":[1,{"delta":5}],'))),
  );
});
