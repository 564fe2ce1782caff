import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { defineTool, type ToolResult } from "../tool/index.ts";
import { createEngine } from "./index.ts";

/** Makes a call, and another one while its end is reported, 50 ms later. */
function callTwice(isImmediate: boolean): ToolResult[] {
  const clock = new FakeClock();
  const work = defineTool({
    name: "work",
    description: "Takes 10 ms.",
    effect: "pure",
    input: { type: "object" },
    run: () => {
      clock.advance(10);
      return null;
    },
  });
  const engine = createEngine({ tools: [work], clock });
  const results: ToolResult[] = [];
  const begin = (ended: (result: ToolResult) => void): void =>
    engine.begin("work", {}, {}).runFor({ isImmediate, ended });
  begin((first) => {
    results.push(first);
    clock.advance(50);
    begin((second) => void results.push(second));
  });
  begin((later) => void results.push(later));
  return results;
}

test("a call that an immediate listener makes starts when the call before it ended", () => {
  const [first, second, later] = callTwice(true);
  expect([first?.durationMs, second?.durationMs]).toEqual([10, 60]);
  expect(second?.executedAt).toBe((first?.executedAt ?? 0) + 10);
  // Only while the end is reported.
  expect(later?.durationMs).toBe(10);
});

test("the time that any other listener takes belongs to no call", () => {
  const [first, second, later] = callTwice(false);
  expect([first?.durationMs, second?.durationMs, later?.durationMs]).toEqual([10, 10, 10]);
  expect(second?.executedAt).toBe((first?.executedAt ?? 0) + 60);
});
