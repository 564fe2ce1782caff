import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createChatMender } from "./mend-chat.ts";

type Call = { id?: string; index?: number; function: { name?: string; arguments?: unknown } };

function mended(...deltas: object[]): Call[] {
  const mend = createChatMender();
  return deltas.flatMap((call) => {
    const text = mend(JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] }));
    return (JSON.parse(text) as { choices: { delta: { tool_calls: Call[] } }[] }).choices[0]?.delta.tool_calls ?? [];
  });
}

test("calls without ids and indexes get theirs, and pieces go to the call before them", () => {
  const [a, more, b, last] = mended(
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

test("ids tell where a piece belongs that has no index; indexes that are there stay", () => {
  const calls = mended(
    { id: "x", function: { name: "f", arguments: "" } },
    { id: "y", function: { name: "g", arguments: "" } },
    { id: "x", function: { arguments: "{}" } },
    { id: "z", index: 7, function: { name: "h", arguments: "" } },
  );
  expect(calls.map(({ index }) => index)).toEqual([0, 1, 0, 7]);
});

test("arguments are text, whatever came; what was no text at all stays away", () => {
  const given = [{ a: 1 }, {}, undefined, null, "x", 4];
  expect(
    mended(...given.map((arguments_) => ({ index: 0, function: { name: "f", arguments: arguments_ } }))).map(
      (call) => call.function.arguments,
    ),
  ).toEqual(['{"a":1}', "", undefined, null, "x", "4"]);
  const whole = createChatMender()(
    '{"choices":[{"message":{"role":"tool","tool_calls":[{"function":{"name":"f"}},null]}}]}',
  );
  expect(JSON.parse(whole)).toEqual({
    choices: [{ message: { tool_calls: [{ id: "call_0", function: { name: "f", arguments: "" } }] } }],
  });
});

test("what needs no mending, or is no JSON, is left as it is", () => {
  const mend = createChatMender();
  for (const text of [
    "[DONE]",
    '{"choices":[{"delta":{"role":"assistant","content":"\\"tool_call"}}]}',
    '{"tool_calls" ',
    "null",
  ]) {
    expect(mend(text)).toBe(text);
  }
  expect(JSON.parse(mend('{"choices":null,"usage":{}}'))).toEqual({ choices: [], usage: {} });
  fc.assert(
    fc.property(fc.json(), (json) => void mend(json.replace("{", '{"tool_calls":[1],"choices":[1,{"delta":5}],'))),
  );
});
