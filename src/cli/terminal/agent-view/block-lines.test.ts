import { describe, expect, test } from "vitest";
import { type ReasoningBlock, type ReasoningStep, emptyReasoningBlock } from "../../../agent/index.ts";
import { displayWidth } from "../../../text/index.ts";
import { type BlockOptions, blockLines } from "./block-lines.ts";

const options: BlockOptions = {
  columns: 60,
  height: 20,
  elapsedMs: 2345,
  frame: 0,
  tint: (_style, text) => text,
  live: true,
};

function step(parts: Partial<ReasoningStep>): ReasoningStep {
  return { id: "s", kind: "tool", text: "Calling x", state: "active", startedAt: 0, ...parts };
}

function block(parts: Partial<ReasoningBlock>): ReasoningBlock {
  return { ...emptyReasoningBlock, runId: "r", runner: "autonomous", ...parts };
}

describe("[E13] the reasoning block at a terminal", () => {
  test("shows state, time, steps with their outcomes, and the answer so far", () => {
    const shown = block({
      state: "answering",
      answer: "High water\nis at noon.",
      steps: [
        step({
          id: "a",
          text: 'Searching the notes for "tide"',
          state: "done",
          durationMs: 120,
          detail: "found 2: A, B",
        }),
        step({ id: "b", text: "Reading a page", state: "failed", durationMs: 30, detail: "no such page" }),
        step({ id: "c", kind: "notice", text: "fell back", state: "done", durationMs: 0 }),
        step({ id: "d", kind: "model", text: "Writing the answer" }),
      ],
    });
    expect(blockLines(shown, options)).toEqual([
      "⠋ autonomous · answering · 2.3 s",
      '├─ ✓ Searching the notes for "tide"  120 ms  found 2: A, B',
      "├─ ✗ Reading a page  30 ms  no such page",
      "├─ · fell back",
      "└─ ⠋ Writing the answer",
      "",
      "High water",
      "is at noon.",
    ]);
  });

  test("a notice that remains on the screen is complete, wrapped between words", () => {
    const steps = [
      step({ id: "a", kind: "notice", text: "the answer was cut off by the model's limit of tokens", state: "done" }),
      step({ id: "b", kind: "notice", text: "回答被模型的词元上限截断，后面的内容没有写出来。", state: "done" }),
    ];
    const shown = block({ state: "completed", answer: "So", steps });
    expect(blockLines(shown, { ...options, columns: 40, live: false })).toEqual([
      "✓ autonomous · answered · 2.3 s",
      "├─ · the answer was cut off by the",
      "│    model's limit of tokens",
      "└─ · 回答被模型的词元上限截断，后面的内",
      "     容没有写出来。",
    ]);
    expect(blockLines(shown, { ...options, columns: 40 })).toContain("├─ · the answer was cut off by the mod…");
  });

  test("Chinese takes two columns per character, and no line is wider than the terminal", () => {
    const shown = block({
      language: "zh",
      state: "thinking",
      thinking: "我需要先确定上周的时间范围，然后搜索笔记，最后把找到的内容整理成一段话。".repeat(20),
      thinker: "m",
      answer: "你上周写了三篇关于机器学习的笔记，其中一篇讲神经网络，一篇讲决策树，一篇讲聚类。".repeat(5),
      steps: [
        step({
          id: "a",
          text: "正在为“机器学习”、“笔记”搜索笔记",
          state: "done",
          durationMs: 7,
          detail: "找到 5 条：甲乙丙丁戊己庚辛",
        }),
        step({ id: "m", kind: "model", text: "正在思考" }),
      ],
    });
    for (const columns of [20, 31, 40, 60, 61]) {
      const lines = blockLines(shown, { ...options, columns });
      const widest = Math.max(...lines.map(displayWidth));
      expect(widest).toBeLessThan(columns);
      expect(lines[0]).toMatch(/^⠋ autonomous · /);
    }
    const [head, first, second] = blockLines(shown, options);
    expect(head).toBe("⠋ autonomous · 思考中 · 已用 2.3 s");
    expect(first).toBe("├─ ✓ 正在为“机器学习”、“笔记”搜索笔记  7 ms  找到 5 条：甲…");
    // The end of a long thought is shown.
    expect(second).toMatch(/^└─ ⠋ 正在思考 {2}….*整理成一段话。$/);
  });

  test("a word that is wider than the terminal is broken", () => {
    const lines = blockLines(block({ answer: `see https://example.com/${"a".repeat(100)}` }), {
      ...options,
      columns: 40,
    });
    expect(Math.max(...lines.map(displayWidth))).toBe(39);
  });

  test("fits the height: the last steps and the last lines of the answer are shown", () => {
    const steps = Array.from({ length: 50 }, (_step, at) =>
      step({ id: String(at), text: `step ${at}`, state: "done" }),
    );
    const answer = Array.from({ length: 100 }, (_line, at) => `line ${at}`).join("\n");
    const lines = blockLines(block({ steps, answer, state: "answering" }), { ...options, height: 12 });
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe("line 99");
    expect(lines.some((line) => line.includes("step 49"))).toBe(true);
    expect(lines[1]).toMatch(/… 4\d earlier/);
  });

  test("the final block fits the height as well, with the last notices complete", () => {
    const steps = Array.from({ length: 9 }, (_step, at) =>
      step({
        id: String(at),
        kind: "notice",
        text: `note ${at} is longer than a line of so few columns`,
        state: "done",
      }),
    );
    const lines = blockLines(block({ steps, state: "waiting" }), { ...options, columns: 30, height: 6, live: false });
    expect(lines).toEqual([
      "‖ autonomous · waiting for a…",
      "├─ … 7 earlier",
      "├─ · note 7 is longer than a",
      "│    line of so few columns",
      "└─ · note 8 is longer than a",
      "     line of so few columns",
    ]);
  });

  test("a terminal that is resized to half its width still holds all of it", () => {
    const shown = block({ answer: "word ".repeat(400), state: "answering", steps: [step({ text: "Writing" })] });
    const lines = blockLines(shown, { ...options, columns: 80 });
    const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / 40)), 0);
    expect(rows).toBeGreaterThan(options.height - 4);
    expect(rows).toBeLessThanOrEqual(options.height);
  });

  test("the final block has no answer, which is printed separately, and no spinner", () => {
    const done = block({
      state: "completed",
      answer: "Noon.",
      steps: [
        step({ id: "a", text: "Looking", state: "done", durationMs: 5 }),
        step({ id: "m", kind: "model", text: "Wrote the answer", state: "done", durationMs: 9 }),
      ],
    });
    expect(blockLines(done, { ...options, live: false })).toEqual([
      "✓ autonomous · answered · 2.3 s",
      "└─ ✓ Looking  5 ms",
    ]);
  });

  test("text of any origin cannot control the terminal", () => {
    const hostile = "\u001b[2J\u001b]0;title\u0007\u202e\r\nevil";
    const shown = block({ runner: hostile, answer: hostile, steps: [step({ text: hostile, detail: hostile })] });
    // oxlint-disable-next-line no-control-regex
    expect(blockLines(shown, options).join("")).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});
