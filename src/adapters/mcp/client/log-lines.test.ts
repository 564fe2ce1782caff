import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { LogLines } from "./log-lines.ts";

function logging(linesPerSecond = 3): { clock: FakeClock; lines: LogLines; told: string[] } {
  const clock = new FakeClock();
  const told: string[] = [];
  return { clock, told, lines: new LogLines({ clock, linesPerSecond, log: (line) => told.push(line) }) };
}

test("lines are cleaned and cut, and characters that arrive in halves are whole", () => {
  const { lines, told } = logging();
  const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
  lines.feed(first);
  lines.feed(second);
  lines.feed(Buffer.from(`\u001b[31m red\u001b[0m\r\n\n${"x".repeat(5_000)}\n`));
  expect(told).toEqual(["é red", `${"x".repeat(2_000)}…`]);
});

test("more lines than a log can bear are counted", () => {
  const { clock, lines, told } = logging();
  for (let line = 0; line < 10; line++) lines.tell(`line ${line}`);
  clock.advance(1_000);
  lines.tell("later");
  expect(told).toEqual(["line 0", "line 1", "line 2", "(7 more lines were left out)", "later"]);
});

test("the last lines are kept, an unfinished one included", () => {
  const { lines } = logging(0);
  for (let line = 0; line < 30; line++) lines.feed(Buffer.from(`line ${line}\n`));
  lines.feed(Buffer.from("unfinished"));
  expect(lines.last()).toHaveLength(10);
  expect(lines.last().slice(-2)).toEqual(["line 29", "unfinished"]);
});

test("a text without line ends takes no memory", () => {
  const { lines, told } = logging();
  for (let piece = 0; piece < 100; piece++) lines.feed(Buffer.alloc(100_000, "x"));
  lines.feed(Buffer.from("\n"));
  expect(told[0]).toHaveLength(2_001);
});
