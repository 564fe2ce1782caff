import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { LogLines } from "./log-lines.ts";

function logging(linesPerSecond = 3): { clock: FakeClock; lines: LogLines; reported: string[] } {
  const clock = new FakeClock();
  const reported: string[] = [];
  return { clock, reported, lines: new LogLines({ clock, linesPerSecond, log: (line) => reported.push(line) }) };
}

test("lines are sanitized and truncated, and characters split across chunks are complete", () => {
  const { lines, reported } = logging();
  const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
  lines.feed(first);
  lines.feed(second);
  lines.feed(Buffer.from(`\u001b[31m red\u001b[0m\r\n\n${"x".repeat(5_000)}\n`));
  expect(reported).toEqual(["é red", `${"x".repeat(2_000)}…`]);
});

test("lines beyond the limit are counted", () => {
  const { clock, lines, reported } = logging();
  for (let line = 0; line < 10; line++) lines.write(`line ${line}`);
  clock.advance(1_000);
  lines.write("later");
  expect(reported).toEqual(["line 0", "line 1", "line 2", "(7 more lines were omitted)", "later"]);
});

test("the last lines are retained, an unfinished one included", () => {
  const { lines } = logging(0);
  for (let line = 0; line < 30; line++) lines.feed(Buffer.from(`line ${line}\n`));
  lines.feed(Buffer.from("unfinished"));
  expect(lines.last()).toHaveLength(10);
  expect(lines.last().slice(-2)).toEqual(["line 29", "unfinished"]);
});

test("a text without line ends takes no memory", () => {
  const { lines, reported } = logging();
  for (let piece = 0; piece < 100; piece++) lines.feed(Buffer.alloc(100_000, "x"));
  lines.feed(Buffer.from("\n"));
  expect(reported[0]).toHaveLength(2_001);
});
