import { isRecord } from "../schema/index.ts";
import type { Approval } from "../store/index.ts";
import { cutDisplay, displayWidth, stripUnsafe } from "../text/index.ts";
import { countRows, cutMiddle } from "./cut-middle.ts";
import { formatBytes } from "./format-figures.ts";
import { oneLine } from "./format-table.ts";
import type { QuestionWords } from "./question-words.ts";
import { safeJson } from "./safe-json.ts";
import { shortText } from "./short-text.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Terminal } from "./terminal.ts";
import { wrapText } from "./wrap-text.ts";

/** What was typed for something else is no answer, and not gone without a word. */
export function tellForgotten(typed: string, terminal: Terminal, { forgotten }: QuestionWords): void {
  tellTyped(typed, terminal, forgotten);
}

/** Nor is what was typed while nobody asked, and came to nothing. */
export function tellUnused(typed: string, terminal: Terminal, { unused }: QuestionWords): void {
  tellTyped(typed, terminal, unused);
}

function tellTyped(typed: string, terminal: Terminal, words: (typed: string) => string): void {
  const text = shortText(stripUnsafe(typed).trim(), 200);
  if (text !== "") tellWrapped(words(text), terminal, { style: "dim" });
}

/** What was typed as an answer, when it had been decided elsewhere. */
export function tellNotSent(typed: string, terminal: Terminal, { notSent }: QuestionWords): void {
  tellTyped(typed, terminal, notSent);
}

/** Rows of the question that are not for the arguments. */
export const otherRows = 8;

/** The part of the screen that a question may take where there is something to see above it. */
const mostOfScreen = 2 / 3;

/** The rows that a question takes of a screen; long arguments are cut. */
export function rowsOfQuestion({ tool, args }: Approval, terminal: Terminal): number {
  const most = Math.floor((terminal.screen?.rows ?? 24) * mostOfScreen);
  const columns = columnsFor(tool, terminal);
  return otherRows + countRows(safeJson(args), { columns, rows: Math.max(1, most - otherRows) });
}

/** Of the arguments, which begin behind the tool's name. */
function columnsFor(tool: string, { sideColumns = 80 }: Terminal): number {
  return Math.max(20, sideColumns - 6 - displayWidth(oneLine(tool)));
}

/** How a question is told. */
export interface QuestionOptions {
  /** Nothing is left out, however much it is: nobody can look at it in another way. */
  readonly whole: boolean;
  /** Rows above it that are to stay on the screen. */
  readonly above: number;
  /** Why a person is asked. */
  readonly why: string | undefined;
  readonly words: QuestionWords;
}

/** Tells what is to be decided on. */
export function tellQuestion(approval: Approval, terminal: Terminal, options: QuestionOptions): void {
  const { whole, why, words, above } = options;
  const { id, message, step, tool, args } = approval;
  tellWrapped(oneLine(words.question(message)), terminal, { lead: `${terminal.tint("yellow", "?")} ` });
  const where = step === undefined ? "" : `${oneLine(step)}: `;
  const text = safeJson(args);
  const lines = whole
    ? text.split("\n")
    : fittingLines(text, terminal, { tool, words, seeAll: `windlass approvals ${id}`, above });
  terminal.tell(`  ${where}${terminal.tint("bold", oneLine(tool))} ${lines.join("\n  ")}`);
  if (why !== undefined) tellWrapped(oneLine(why), terminal, { lead: "  ", style: "dim" });
}

/** What {@link fittingLines} needs to know of a call. */
export interface FittingOptions {
  readonly tool: string;
  readonly words: QuestionWords;
  /** The command that shows them all. */
  readonly seeAll: string;
  /** How many questions share the screen; one where absent. */
  readonly among?: number;
  /** Rows above that are to stay on the screen; none where absent. */
  readonly above?: number;
}

/** As much of the arguments as leaves the question on the screen, and how to see them all. */
export function fittingLines(text: string, terminal: Terminal, options: FittingOptions): readonly string[] {
  const { tool, words, seeAll, among = 1, above = 0 } = options;
  const columns = columnsFor(tool, terminal);
  const gap = (left: string): readonly string[] =>
    wrapText(words.leftOut(formatBytes(Buffer.byteLength(left)), seeAll), columns);
  // What says that something is left out may take several rows by itself, and must not push away what is above.
  const taken = above === 0 ? 0 : above + gap("").length - 1;
  const rows = Math.max(4, Math.floor(((terminal.screen?.rows ?? 24) - otherRows - taken) / among));
  const tinted = (left: string): string =>
    gap(left)
      .map((line) => terminal.tint("yellow", line))
      .join("\n");
  return cutMiddle(text, { columns, rows }, tinted).flatMap((line) => line.split("\n"));
}

/** Says at last what is decided on: the arguments may be long. */
export function promptFor({ tool, args }: Approval, question: string, { sideColumns = 80 }: Terminal): string {
  const main = (isRecord(args) ? Object.values(args) : []).find(
    (value) => typeof value === "string" || typeof value === "number",
  );
  const about = cutDisplay(`${oneLine(tool)}${main === undefined ? "" : ` ${oneLine(String(main))}`}`, longestAbout);
  const line = `  ${about}  ${question}`;
  return displayWidth(line) < sideColumns ? line : `  ${cutDisplay(about, sideColumns - 3)}\n  ${question}`;
}

const longestAbout = 60;
