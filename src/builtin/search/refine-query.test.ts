import { array, assert, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { refineQuery } from "./refine-query.ts";

const user = (content: string): { role: string; content: string } => ({ role: "user", content });
const model = (content: string): { role: string; content: string } => ({ role: "assistant", content });

describe("a pronoun is replaced by what was talked about", () => {
  test.each([
    ["who built it", [user("Tell me about the Eiffel Tower")], "who built Eiffel Tower"],
    ["what is its capital", [user("Where is France?"), model("In Europe.")], "what is France capital"],
    ["how much do they cost", [user("explain solar panels please")], "how much do solar panels cost"],
    ["when was she born", [user("Who was Ada Lovelace?"), model("A mathematician.")], "when was Ada Lovelace born"],
    ["它有多高", [user("介绍一下埃菲尔铁塔")], "埃菲尔铁塔有多高"],
    ["它的作者是谁", [user("红楼梦是什么？"), model("一部小说。")], "红楼梦的作者是谁"],
    ["more about this", [user("Search for tide tables")], "more about tide tables"],
  ])("%s", (query, history, expected) => {
    expect(refineQuery(query, history)).toBe(expected);
  });

  test("the last topic counts, not the first", () => {
    const history = [user("Tell me about Berlin"), model("Berlin is a city."), user("And Hamburg?"), model("A port.")];
    expect(refineQuery("how large is it", history)).toBe("how large is Hamburg");
  });
});

describe("a query stays as it is", () => {
  test.each([
    ["population of France", [user("Tell me about Germany")]],
    ["IT jobs", [user("Tell me about Germany")]],
    ["does it rain in Berlin", [user("Tell me about Germany")]],
    ['"it" the novel', [user("Tell me about Germany")]],
    ["proof that pi is irrational", [user("Tell me about Germany")]],
    ["其他城市", [user("介绍一下柏林")]],
    ["who built it", []],
    ["who built it", [user("and the of"), user("???")]],
  ])("%s", (query, history) => {
    expect(refineQuery(query, history)).toBe(query);
  });
});

test("any history gives a query, in little time", () => {
  const turn = record({ role: string(), content: string({ unit: "grapheme", maxLength: 300 }) });
  assert(
    property(string({ maxLength: 100 }), array(turn, { maxLength: 8 }), (query, history) => {
      expect(typeof refineQuery(`${query} it`, history)).toBe("string");
    }),
  );
  const started = performance.now();
  refineQuery(
    "who built it",
    Array.from({ length: 200 }, () => user("Tower ".repeat(100_000))),
  );
  expect(performance.now() - started).toBeLessThan(500);
});
