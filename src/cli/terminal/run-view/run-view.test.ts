import { describe, expect, test } from "vitest";
import { type Clock, failure } from "../../../base/index.ts";
import type { RunEvent } from "../../../chain/index.ts";
import { createRedactor } from "../../../secrets/index.ts";
import { displayWidth } from "../../../text/index.ts";
import type { Area, Screen } from "../screen.ts";
import { toWireRunEvent } from "../../../app/index.ts";
import { plainView, treeView } from "./run-view.ts";
import { LiveArea } from "./live-view.ts";

/** A terminal of this size: what a user would see after all output. */
class TestScreen implements Screen {
  columns: number;
  rows: number;
  written = "";
  #lines: string[] = [""];
  #row = 0;
  #column = 0;
  area: Area | undefined;
  readonly #resized: (() => void)[] = [];

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): void {
    this.written += text;
    // oxlint-disable-next-line no-control-regex
    for (const [token] of text.matchAll(/\x1b\[\??(\d*)[a-zA-Z]|\n|\r|[^\x1b\n\r]+/g)) this.#take(token);
  }

  onResize(listener: () => void): () => void {
    this.#resized.push(listener);
    return () => {};
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    // As in real terminals: a line that is now too long wraps, and the cursor stays behind it.
    const below = this.#lines.length - this.#row;
    this.#lines = this.#lines.flatMap((line) => broken(line, columns));
    this.#row = this.#lines.length - below;
    for (const listener of this.#resized) listener();
  }

  hold(area: Area): () => void {
    this.area = area;
    return () => {
      this.area = undefined;
    };
  }

  /** The non-empty lines. */
  get lines(): string[] {
    return this.#lines.map((line) => line.trimEnd()).filter((line) => line !== "");
  }

  #take(token: string): void {
    const count = Number(/\d+/.exec(token)?.[0] ?? 1);
    if (token === "\n") this.#row++;
    else if (token === "\r") this.#column = 0;
    else if (!token.startsWith("\x1b")) this.#put(token);
    else if (token.endsWith("A")) this.#row -= count;
    else if (token.endsWith("B")) this.#row += count;
    else if (token.endsWith("2K")) this.#lines[this.#row] = "";
    else if (token.endsWith("K")) this.#lines[this.#row] = this.#here.slice(0, this.#column);
    if (this.#row < 0) throw new Error("the cursor left the area");
    while (this.#lines.length <= this.#row) this.#lines.push("");
  }

  get #here(): string {
    return this.#lines[this.#row] ?? "";
  }

  #put(text: string): void {
    const line = this.#here.padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
    this.#column += text.length;
    if (displayWidth(this.#here) >= this.columns) throw new Error(`a line is too wide: ${this.#here}`);
  }
}

function broken(line: string, columns: number): string[] {
  const lines = [""];
  for (const character of line.trimEnd()) {
    const last = lines.at(-1) ?? "";
    if (displayWidth(last + character) > columns) lines.push(character);
    else lines[lines.length - 1] = last + character;
  }
  return lines;
}

/** A clock that only advances when `go` is called. */
function handClock(): Clock & { go(ms: number): void } {
  let now = 1000;
  let tasks: { at: number; task: () => void }[] = [];
  return {
    now: () => now,
    elapsed: () => now,
    after: (ms, task) => {
      const entry = { at: now + ms, task };
      tasks.push(entry);
      return { cancel: () => (tasks = tasks.filter((other) => other !== entry)), hold: () => {} };
    },
    go(ms) {
      const end = now + ms;
      for (let [next] = tasks; next !== undefined && next.at <= end; [next] = tasks) {
        tasks.shift();
        now = Math.max(now, next.at);
        next.task();
      }
      now = end;
    },
  };
}

const plainTint = { tint: (_style: string, text: string) => text };

const done = {
  status: "success",
  durationMs: 1500,
  attempts: 1,
  cached: false,
  output: 1,
  error: undefined,
  skip: undefined,
} as const;

function setUp(columns = 80, rows = 24) {
  const screen = new TestScreen(columns, rows);
  const clock = handClock();
  const view = treeView(screen, { terminal: plainTint, clock });
  const about = (step: string) => ({ at: clock.now(), runId: "r1", step, tool: "slow", replayed: false });
  return {
    screen,
    clock,
    view,
    start: (...steps: string[]) => {
      view.onEvent({ type: "run-started", at: clock.now(), runId: "r1", chain: "demo", steps, replayed: false });
      for (const step of steps) view.onEvent({ type: "step-started", input: {}, ...about(step) });
    },
    emit: (step: string, event: { type: RunEvent["type"] } & Record<string, unknown>) =>
      view.onEvent({ ...about(step), ...event } as RunEvent),
    finish: (step: string, more: Record<string, unknown> = {}) =>
      view.onEvent({
        type: "step-finished",
        ...about(step),
        ...done,
        ...more,
      }),
  };
}

describe("the live tree", () => {
  test("shows each step with its mark, tool, duration and note", () => {
    const { screen, clock, start, emit: report, finish } = setUp();
    start("a", "b", "c", "d", "e", "f", "g");
    clock.go(1200);
    report("a", { type: "step-retrying", attempt: 2, delayMs: 1, error: failure("timeout", "too slow") });
    finish("a", { attempts: 2 });
    report("b", { type: "step-retrying", attempt: 2, delayMs: 1500, error: failure("timeout", "too slow") });
    finish("c", { status: "skipped", skip: { kind: "condition", condition: "${input.n > 1}" } });
    report("d", { type: "step-fallback", fallbackTool: "backup", error: failure("execution_error", "broken") });
    finish("d", { status: "recovered" });
    report("e", { type: "step-suspended", approvalId: "x-1", message: "Send it?" });
    for (let item = 0; item < 12; item++) report("f", { type: "item-finished", item, of: 40, status: "success" });
    report("sub/inner", { type: "step-started" });
    finish("g", { status: "failed", error: failure("execution_error", "gone") });
    clock.go(100);
    expect(screen.lines).toEqual([
      "demo  r1",
      "  ✓ a        slow      1.5 s  after 1 retry",
      "  ↻ b        slow      1.3 s  retry 2 in 1.4 s: timeout: too slow",
      "  – c        slow             condition ${input.n > 1} did not hold",
      "  ✓ d        slow      1.5 s  fallback backup used",
      "  ‖ e        slow      1.3 s  waits for approval x-1: Send it?",
      expect.stringMatching(/^ {2}[⠀-⣿] f {8}slow {6}1\.3 s {2}12\/40$/),
      "  ✗ g        slow      1.5 s  execution_error: gone",
      "  · sub",
      expect.stringMatching(/^ {4}[⠀-⣿] inner {2}slow {6}0\.1 s$/),
      "  4 of 8 steps, 1.3 s",
    ]);
  });

  test("a decided approval makes the step run again, and a running attempt is no longer announced", () => {
    const { screen, clock, start, emit: report } = setUp();
    start("a", "b");
    report("a", { type: "step-suspended", approvalId: "x-1", message: "Send it?" });
    report("a", { type: "step-approval-decided", approvalId: "x-1", status: "approved", by: undefined });
    report("b", { type: "step-retrying", attempt: 2, delayMs: 500, error: failure("timeout", "too slow") });
    clock.go(1000);
    expect(screen.lines[1]).toMatch(/^ {2}[⠀-⣿] a {2}slow {6}1\.0 s$/);
    expect(screen.lines[2]).toMatch(/attempt 2: timeout: too slow$/);
  });

  test("fits the height of the terminal: running steps are shown, the rest is counted", () => {
    const { screen, clock, view, start, finish } = setUp(60, 10);
    const steps = Array.from({ length: 40 }, (_step, index) => `s${index}`);
    view.onEvent({ type: "run-started", at: 0, runId: "r1", chain: "demo", steps, replayed: false });
    for (const step of steps.slice(0, 20)) finish(step);
    start("s20", "s21");
    clock.go(200);
    expect(screen.lines.length).toBeLessThanOrEqual(9);
    const shown = screen.lines.join("\n");
    expect(shown).toContain("… 19 more done");
    expect(shown).toMatch(/[⠀-⣿] s20/);
    expect(shown).toMatch(/[⠀-⣿] s21/);
    expect(shown).toContain("… 16 more pending");
    view.close();
    // The final lines may exceed the height of the terminal.
    expect(screen.lines).toHaveLength(41);
  });

  test("cuts at the width of the terminal, also within Chinese text, and follows its size", () => {
    const { screen, clock, start, emit: report } = setUp(60, 24);
    start("抓取页面二", "b");
    report("抓取页面二", { type: "step-progress", value: "正在总结".repeat(40) });
    clock.go(100);
    expect(screen.lines.some((line) => line.includes("正在总结") && line.endsWith("…"))).toBe(true);
    const [, first = "", second = ""] = screen.lines;
    expect(displayWidth(first.slice(0, first.indexOf("slow")))).toBe(
      displayWidth(second.slice(0, second.indexOf("slow"))),
    );
    screen.resize(30, 24);
    clock.go(100);
    expect(Math.max(...screen.lines.map(displayWidth))).toBeLessThan(30);
  });

  test("text of a step or a tool cannot move the cursor or paint", () => {
    const { screen, clock, start, emit: report, finish } = setUp();
    start("a");
    report("a", { type: "step-progress", value: "50 %\u001b[2J\u001b[31m\r\n\u202eevil\u0007" });
    clock.go(100);
    expect(screen.lines[1]).toMatch(/50 % evil$/);
    finish("a", { status: "failed", error: failure("execution_error", "x\u001b]0;title\u0007y\nz") });
    clock.go(100);
    expect(screen.lines[1]).toMatch(/execution_error: xy z$/);
    expect(screen.written).not.toContain("\u0007");
    expect(screen.written).not.toContain("\u001b[2J");
  });

  test("writes only lines that changed", () => {
    const { screen, clock, start, finish } = setUp();
    start("first", "second");
    finish("first");
    clock.go(100);
    screen.written = "";
    clock.go(500);
    expect(screen.written).toContain("second");
    expect(screen.written).not.toContain("first");
  });

  test("hides the cursor while it is shown, and restores it", () => {
    const { screen, view, clock, start } = setUp();
    start("a");
    expect(screen.written).toContain("\u001b[?25l");
    const resume = view.pause();
    expect(screen.written.endsWith("\u001b[?25h")).toBe(true);
    expect(screen.lines).toEqual([]);
    clock.go(1000);
    expect(screen.lines).toEqual([]);
    resume();
    clock.go(100);
    expect(screen.lines).toHaveLength(3);
    view.close();
    view.close();
    expect(screen.written.endsWith("\u001b[?25h")).toBe(true);
    expect(screen.area).toBeUndefined();
  });

  test("items that succeeded leave no rows", () => {
    const { screen, view, start, emit: report, clock } = setUp();
    start("each");
    for (let item = 0; item < 1000; item++) {
      report(`each[${item}]/search`, { type: "step-started" });
      report("each", { type: "item-finished", item, of: 1000, status: "success" });
    }
    clock.go(100);
    expect(screen.lines).toHaveLength(3);
    view.close();
  });
});

describe("an area of lines", () => {
  test("after any sequence of drawings, only the last lines are visible", () => {
    const screen = new TestScreen(40, 24);
    const area = new LiveArea(screen);
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
    for (let round = 0; round < 500; round++) {
      const lines = Array.from({ length: random(12) }, () => `line ${random(6)}`);
      area.draw(lines);
      expect(screen.lines).toEqual(lines);
      area.hide();
      expect(screen.lines).toEqual([]);
      if (random(2) === 0) area.draw([...lines, "while hidden"]);
      area.show();
    }
    area.end(["over"]);
    expect(screen.lines).toEqual(["over"]);
  });
});

describe("plain lines", () => {
  const lines: string[] = [];
  const view = plainView({ log: (line) => lines.push(line) });
  const about = { at: 1_700_000_000_123, runId: "r1", tool: "slow" };

  test("steps done earlier are counted, not reported again; items are reported at intervals", () => {
    view.onEvent({ type: "run-started", ...about, chain: "demo", steps: ["a", "b"], replayed: true });
    view.onEvent({ type: "step-started", ...about, step: "a", input: {}, replayed: true });
    view.onEvent({ type: "step-finished", ...about, step: "a", ...done, replayed: true });
    view.onEvent({ type: "step-started", ...about, step: "b", input: {}, replayed: false });
    for (let item = 0; item < 100; item++) {
      view.onEvent({ type: "item-finished", ...about, step: "b", item, of: 100, status: "success", replayed: false });
    }
    for (let at = 0; at < 50; at++) {
      view.onEvent({
        type: "step-progress",
        ...about,
        at: about.at + at,
        step: "b",
        value: "\u001b[1mx",
        replayed: false,
      });
    }
    const texts = lines.map((line) => line.replace(/^\d\d:\d\d:\d\d\.123 /, ""));
    expect(texts).toEqual([
      "demo: run r1, 2 steps",
      "1 step done earlier",
      "b: started slow",
      ...Array.from({ length: 10 }, (_line, part) => `b: ${(part + 1) * 10}/100`),
      "b: · x",
    ]);
  });
});

test("plain lines continue counting items where an earlier process stopped", () => {
  const lines: string[] = [];
  const view = plainView({ log: (line) => lines.push(line.slice("00:00:00.000 ".length)) });
  const about = { at: 1_700_000_000_123, runId: "r1", tool: "slow", step: "each", of: 4, status: "success" } as const;
  for (const item of [0, 1, 2]) view.onEvent({ type: "item-finished", ...about, item, replayed: true });
  view.onEvent({ type: "item-finished", ...about, item: 3, replayed: false });
  expect(lines).toEqual(["each: 4/4"]);
});

describe("events for programs", () => {
  test("have snake_case keys and no secrets", () => {
    const redactor = createRedactor(["hunter2-secret"]);
    const about = { at: 0, runId: "r1", step: "a", tool: "t", replayed: false } as const;
    expect(
      toWireRunEvent(
        { type: "step-retrying", ...about, attempt: 2, delayMs: 5, error: failure("timeout", "hunter2-secret late") },
        redactor,
      ),
    ).toMatchObject({ type: "step_retrying", at: "1970-01-01T00:00:00.000Z", run_id: "r1", delay_ms: 5 });
    const loop: Record<string, unknown> = { token: "hunter2-secret" };
    loop["self"] = loop;
    const events: RunEvent[] = [
      { type: "step-started", ...about, input: { q: "hunter2-secret" } },
      { type: "step-progress", ...about, value: loop },
      { type: "step-retrying", ...about, attempt: 2, delayMs: 5, error: failure("timeout", "hunter2-secret late") },
    ];
    for (const event of events) expect(JSON.stringify(toWireRunEvent(event, redactor))).not.toContain("hunter2");
  });
});
