import type { ReasoningBlock, ReasoningStep } from "../../agent/index.ts";
import { displayWidth, formatDuration, graphemes, stripUnsafe } from "../../text/index.ts";
import type { Room } from "../cut-middle.ts";
import { oneLine } from "../format-table.ts";
import { type Span, paintSpans } from "../run-view/paint-spans.ts";
import type { Style } from "../terminal.ts";
import { wrapText } from "../wrap-text.ts";
import { elapsedWord, stateWord } from "./state-words.ts";

/** How a block is drawn. */
export interface BlockOptions {
  readonly columns: number;
  /** The most lines it may have. */
  readonly height: number;
  /** Since it is shown. */
  readonly elapsedMs: number;
  /** Counts the drawings, for what turns. */
  readonly frame: number;
  readonly tint: (style: Style, text: string) => string;
  /** With what is being thought and written; left out once the run is over. */
  readonly live: boolean;
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** The reasoning block as lines that fit the terminal, whatever script they are in: its state, its steps, the answer so far. */
export function blockLines(block: ReasoningBlock, options: BlockOptions): string[] {
  const { columns, height, tint, live } = options;
  // The last column stays free: some terminals break a line that fills it.
  const width = Math.max(10, columns - 1);
  const paint = (spans: readonly Span[]): string => paintSpans(spans, width, tint);
  const answer = live ? answerLines(block.answer, width) : [];
  // The answer has half of the room, and more where the steps leave it.
  const forAnswer = answer.length === 0 ? 0 : 1 + Math.min(answer.length, Math.floor(height / 2));
  const steps = stepLines(block, options, Math.max(3, height - 1 - forAnswer));
  const shown = lastLines(answer, { columns, rows: height - 2 - steps.length });
  return [paint(headOf(block, options)), ...steps.map(paint), ...(shown.length === 0 ? [] : ["", ...shown])];
}

/** At least so many lines of an answer, where there is room. */
const leastAnswer = 3;

/**
 * The last lines for so many rows, also on a terminal that is made half as wide: what it would then push out of sight could
 * never be changed again.
 */
function lastLines(lines: readonly string[], { columns, rows }: Room): readonly string[] {
  const half = Math.max(1, Math.floor(columns / 2));
  let left = rows;
  let count = 0;
  while (count < lines.length && count < rows) {
    left -= Math.max(1, Math.ceil(displayWidth(lines.at(-1 - count) ?? "") / half));
    if (left < 0 && count >= leastAnswer) break;
    count++;
  }
  return count === 0 ? [] : lines.slice(-count);
}

function headOf(block: ReasoningBlock, { elapsedMs, frame, live }: BlockOptions): Span[] {
  const [word, style] = stateWord(block);
  const mark = live && isActive(block.state) ? turning(frame) : marks[block.state];
  return [
    [`${mark} `, style],
    [oneLine(block.runner), "bold"],
    [` · ${word}`, style],
    [` · ${elapsedWord(elapsedMs, block.language)}`, "dim"],
  ];
}

function isActive(state: ReasoningBlock["state"]): boolean {
  return state === "thinking" || state === "working" || state === "answering";
}

const marks: Readonly<Record<ReasoningBlock["state"], string>> = {
  thinking: "…",
  working: "…",
  answering: "…",
  waiting: "‖",
  left: "‖",
  completed: "✓",
  failed: "✗",
  cancelled: "✗",
};

function turning(frame: number): string {
  return spinner[frame % spinner.length] ?? "*";
}

function stepLines(block: ReasoningBlock, options: BlockOptions, most: number): Span[][] {
  // What was thought and written is seen by what came of it.
  const steps = block.steps.filter((step) => options.live || step.kind !== "model" || !isAnswer(step, block));
  const shown: Span[][] = [];
  let hidden = steps.length;
  for (const [at, step] of [...steps.entries()].reverse()) {
    const last = at === steps.length - 1;
    // While it changes, each step has one line, so that more of them fit.
    const isWhole = step.kind === "note" && !options.live;
    const lines = isWhole ? noteSpans(step, options, last) : [stepSpans(step, { block, options, last })];
    // Where there are more before it, a line says so.
    if (!last && shown.length + lines.length > most - Math.min(at, 1)) break;
    shown.unshift(...lines);
    hidden = at;
  }
  if (hidden > 0)
    shown.unshift([
      ["├─ ", "dim"],
      [more(hidden, block), "dim"],
    ]);
  return shown;
}

/** A note is a sentence, and stays as a whole. */
function noteSpans(step: ReasoningStep, options: BlockOptions, last: boolean): Span[][] {
  const [mark, style] = markOf(step, options);
  const lines = wrapText(oneLine(step.text), options.columns - 1 - noteIndent);
  return lines.map((line, at) =>
    at === 0
      ? [[last ? "└─ " : "├─ ", "dim"], [mark, style], [` ${line}`]]
      : [[(last ? "" : "│").padEnd(noteIndent), "dim"], [line]],
  );
}

const noteIndent = displayWidth("├─ · ");

/** The step that is over with the answer, which is printed itself. */
function isAnswer(step: ReasoningStep, { steps, answer }: ReasoningBlock): boolean {
  return answer !== "" && step === steps.findLast(({ kind }) => kind === "model");
}

function more(count: number, { language }: ReasoningBlock): string {
  return language === "zh" ? `… 前面还有 ${count} 步` : `… ${count} more before`;
}

interface Drawing {
  readonly block: ReasoningBlock;
  readonly options: BlockOptions;
  readonly last: boolean;
}

function stepSpans(step: ReasoningStep, { block, options, last }: Drawing): Span[] {
  const { state, durationMs, kind } = step;
  const [mark, style] = markOf(step, options);
  const text = `${oneLine(step.text)}${decidedWord(step, block)}`;
  const took = durationMs === undefined || kind === "note" ? "" : `  ${formatDuration(durationMs)}`;
  const used = displayWidth(`├─ ${mark} ${text}${took}`);
  const detail = detailOf(step, block, options.columns - 4 - used);
  return [
    [last ? "└─ " : "├─ ", "dim"],
    [mark, style],
    [` ${text}`],
    [took, "dim"],
    ...(detail === ""
      ? []
      : [[`  ${detail}`, state === "failed" ? "red" : state === "waiting" ? "yellow" : "dim"] as const]),
  ];
}

/** Most calls are the model's, or follow from the runner's way of working; what a person has ordered is told apart. */
function decidedWord({ decidedBy }: ReasoningStep, { language }: ReasoningBlock): string {
  if (decidedBy !== "person") return "";
  return language === "zh" ? "（按命令）" : " (as commanded)";
}

function markOf({ state, kind }: ReasoningStep, { frame, live }: BlockOptions): readonly [mark: string, style: Style] {
  if (kind === "note") return ["·", "yellow"];
  switch (state) {
    case "active":
      return live ? [turning(frame), "cyan"] : ["…", "cyan"];
    case "waiting":
      return ["‖", "yellow"];
    case "done":
      return ["✓", "green"];
    case "failed":
      return ["✗", "red"];
    default:
      return state satisfies never;
  }
}

/** Of what the model thinks right now, the end; else what there is to say about the step. */
function detailOf(step: ReasoningStep, { thinking, thinker }: ReasoningBlock, room: number): string {
  const thinks = step.kind === "model" && step.state === "active" && thinker === step.id && thinking !== "";
  return thinks ? lastOf(oneLine(thinking.slice(-400)), room) : oneLine(step.detail ?? "");
}

/** The end of a text that fits into so many columns. */
function lastOf(text: string, room: number): string {
  if (displayWidth(text) <= room) return text;
  if (room < 8) return "";
  const characters = [...graphemes(text)];
  let width = 1;
  let from = characters.length;
  while (from > 0) {
    width += displayWidth(characters[from - 1] ?? "");
    if (width > room) break;
    from--;
  }
  return `…${characters.slice(from).join("").trimStart()}`;
}

/** Of a long answer no more is laid out than any terminal shows. */
const longestShown = 8000;

function answerLines(answer: string, width: number): string[] {
  const text = stripUnsafe(answer.slice(-longestShown)).replaceAll("\t", "    ").trim();
  return text === "" ? [] : wrapText(text, width).flatMap((line) => pieces(line, width));
}

/** A line that has no place to be broken at is broken anywhere: one that is too wide would spoil the drawing. */
function pieces(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const character of graphemes(line)) {
    const wide = displayWidth(character);
    if (used + wide > width) {
      lines.push(current);
      current = "";
      used = 0;
    }
    current += character;
    used += wide;
  }
  return [...lines, current];
}
