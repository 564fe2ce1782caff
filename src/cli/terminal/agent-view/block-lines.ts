import type { ReasoningBlock, ReasoningStep } from "../../../agent/index.ts";
import { displayWidth, formatDuration, graphemes, stripUnsafe } from "../../../text/index.ts";
import type { TerminalSize } from "../cut-middle.ts";
import { toOneLine } from "../format-table.ts";
import { type StyledText, paintSpans } from "../run-view/tree-lines.ts";
import type { Style } from "../terminal.ts";
import { wrapText } from "../wrap-text.ts";
import { cliTexts } from "../texts/cli-texts.ts";
import type { LiveViewSize } from "../run-view/live-view.ts";

/** Options for drawing a block. */
export interface BlockOptions extends LiveViewSize {
  /** Time since the block is shown. */
  readonly elapsedMs: number;
  readonly tint: (style: Style, text: string) => string;
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/**
 * Formats the reasoning block as lines that fit the terminal in any script: its state, its steps, the answer so far.
 */
export function blockLines(block: ReasoningBlock, options: BlockOptions): string[] {
  const { columns, height, tint, live } = options;
  // The last column stays free: some terminals wrap a line that fills it.
  const width = Math.max(10, columns - 1);
  const paint = (spans: readonly StyledText[]): string => paintSpans(spans, width, tint);
  const answer = live ? answerLines(block.answer, width) : [];
  // The answer gets half of the height, and more if the steps leave it.
  const forAnswer = answer.length === 0 ? 0 : 1 + Math.min(answer.length, Math.floor(height / 2));
  const steps = stepLines(block, options, Math.max(3, height - 1 - forAnswer));
  const shown = lastLines(answer, { columns, rows: height - 2 - steps.length });
  return [paint(headOf(block, options)), ...steps.map(paint), ...(shown.length === 0 ? [] : ["", ...shown])];
}

/** Minimum number of answer lines, if there is space. */
const minAnswer = 3;

/**
 * The last lines that fit `rows`, even if the terminal is resized to half its width: lines pushed off the screen could
 * never be redrawn.
 */
function lastLines(lines: readonly string[], { columns, rows }: TerminalSize): readonly string[] {
  const half = Math.max(1, Math.floor(columns / 2));
  let left = rows;
  let count = 0;
  while (count < lines.length && count < rows) {
    left -= Math.max(1, Math.ceil(displayWidth(lines.at(-1 - count) ?? "") / half));
    if (left < 0 && count >= minAnswer) break;
    count++;
  }
  return count === 0 ? [] : lines.slice(-count);
}

function headOf(block: ReasoningBlock, { elapsedMs, frame, live }: BlockOptions): StyledText[] {
  const [word, style] = stateLabel(block);
  const mark = live && isActive(block.state) ? turning(frame) : looks[block.state][0];
  return [
    [`${mark} `, style],
    [toOneLine(block.runner), "bold"],
    [` · ${word}`, style],
    [` · ${elapsedLabel(elapsedMs, block.language)}`, "dim"],
  ];
}

function isActive(state: ReasoningBlock["state"]): boolean {
  return state === "thinking" || state === "working" || state === "answering";
}

function turning(frame: number): string {
  return spinner[frame % spinner.length] ?? "*";
}

function stepLines(block: ReasoningBlock, options: BlockOptions, limit: number): StyledText[][] {
  // Thoughts and answers are visible in their outcome.
  const steps = block.steps.filter((step) => options.live || step.kind !== "model" || !isAnswer(step, block));
  const shown: StyledText[][] = [];
  let hidden = steps.length;
  for (const [at, step] of [...steps.entries()].reverse()) {
    const last = at === steps.length - 1;
    // While the block is live, each step has one line, so that more of them fit.
    const isWhole = step.kind === "notice" && !options.live;
    const lines = isWhole ? noteSpans(step, options, last) : [stepSpans(step, { block, options, last })];
    // If earlier steps are omitted, a line says so.
    if (!last && shown.length + lines.length > limit - Math.min(at, 1)) break;
    shown.unshift(...lines);
    hidden = at;
  }
  if (hidden > 0)
    shown.unshift([
      ["├─ ", "dim"],
      [cliTexts[block.language].block.earlier(hidden), "dim"],
    ]);
  return shown;
}

/** A notice is a sentence, and is shown in full. */
function noteSpans(step: ReasoningStep, options: BlockOptions, last: boolean): StyledText[][] {
  const [mark, style] = markOf(step, options);
  const lines = wrapText(toOneLine(step.text), options.columns - 1 - noteIndent);
  return lines.map((line, at) =>
    at === 0
      ? [[last ? "└─ " : "├─ ", "dim"], [mark, style], [` ${line}`]]
      : [[(last ? "" : "│").padEnd(noteIndent), "dim"], [line]],
  );
}

const noteIndent = displayWidth("├─ · ");

/** True for the step that ended with the answer, which is printed separately. */
function isAnswer(step: ReasoningStep, { steps, answer }: ReasoningBlock): boolean {
  return answer !== "" && step === steps.findLast(({ kind }) => kind === "model");
}

function stepSpans(
  step: ReasoningStep,
  { block, options, last }: { readonly block: ReasoningBlock; readonly options: BlockOptions; readonly last: boolean },
): StyledText[] {
  const { state, durationMs, kind } = step;
  const [mark, style] = markOf(step, options);
  // Most calls come from the model or follow from the runner; calls that the user ordered are marked.
  const text = `${toOneLine(step.text)}${step.initiator === "person" ? cliTexts[block.language].block.byCommand : ""}`;
  const took = durationMs === undefined || kind === "notice" ? "" : `  ${formatDuration(durationMs)}`;
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

function markOf({ state, kind }: ReasoningStep, { frame, live }: BlockOptions): readonly [mark: string, style: Style] {
  if (kind === "notice") return ["·", "yellow"];
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

/** The end of the model's current thoughts, or the details of the step. */
function detailOf(step: ReasoningStep, { thinking, thinker }: ReasoningBlock, room: number): string {
  const thinks = step.kind === "model" && step.state === "active" && thinker === step.id && thinking !== "";
  return thinks ? lastOf(toOneLine(thinking.slice(-400)), room) : toOneLine(step.detail ?? "");
}

/** The end of a text that fits `room` columns. */
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

/** Maximum characters of a long answer that are laid out; no terminal shows more. */
const maxDisplayedChars = 8000;

function answerLines(answer: string, width: number): string[] {
  const text = stripUnsafe(answer.slice(-maxDisplayedChars)).replaceAll("\t", "    ").trim();
  return text === "" ? [] : wrapText(text, width).flatMap((line) => pieces(line, width));
}

/** A line without a break opportunity is broken anywhere: one that is too wide would corrupt the drawing. */
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

const looks: Readonly<Record<ReasoningBlock["state"], readonly [mark: string, style: Style]>> = {
  thinking: ["…", "cyan"],
  working: ["…", "cyan"],
  answering: ["…", "cyan"],
  waiting: ["‖", "yellow"],
  interrupted: ["‖", "yellow"],
  completed: ["✓", "green"],
  failed: ["✗", "red"],
  cancelled: ["✗", "yellow"],
};

/** State of a run in a word, with its style. */
export function stateLabel({ state, language }: ReasoningBlock): readonly [word: string, style: Style] {
  return [cliTexts[language].block.states[state], looks[state][1]];
}

/** `2.3 s`, in tenths, so that the unit does not keep changing. */
function elapsedLabel(ms: number, language: ReasoningBlock["language"]): string {
  const time = ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
  return cliTexts[language].block.elapsed(time);
}
