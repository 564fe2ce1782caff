import { cliCommand } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { Approval } from "../../store/index.ts";
import { cutDisplay, displayWidth, stripUnsafe } from "../../text/index.ts";
import { countRows, cutMiddle } from "../terminal/cut-middle.ts";
import { formatBytes } from "../terminal/format-figures.ts";
import { toOneLine } from "../terminal/format-table.ts";
import type { ApprovalTexts } from "../terminal/texts/english.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { shortText } from "../terminal/short-text.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** Reports input that is not used, with these words, so that it is not dropped silently. */
export function reportTyped(typed: string, terminal: Terminal, words: (typed: string) => string): void {
  const text = shortText(stripUnsafe(typed).trim(), 200);
  if (text !== "") logWrapped(words(text), terminal, { style: "dim" });
}

/** Rows of the prompt that are not for the arguments. */
export const otherRows = 8;

/** Largest share of the screen that a prompt may take if there is output above it. */
const maxScreenChars = 2 / 3;

/** Screen rows that a prompt takes; long arguments are cut. */
export function approvalRows({ tool, args }: Approval, terminal: Terminal): number {
  const limit = Math.floor((terminal.screen?.rows ?? 24) * maxScreenChars);
  const columns = columnsFor(tool, terminal);
  return otherRows + countRows(safeJson(args), { columns, rows: Math.max(1, limit - otherRows) });
}

/** Columns available for the arguments, which follow the tool's name. */
function columnsFor(tool: string, { sideColumns = 80 }: Terminal): number {
  return Math.max(20, sideColumns - 6 - displayWidth(toOneLine(tool)));
}

/** Options of {@link showApproval}. */
export interface ShowApprovalOptions {
  /** Show the arguments in full, however long: no other command can show them. */
  readonly whole: boolean;
  /** Rows above the prompt that must stay on the screen. */
  readonly above: number;
  /** Reason for the approval. */
  readonly why: string | undefined;
  readonly words: ApprovalTexts;
}

/** Shows the call that needs approval. */
export function showApproval(approval: Approval, terminal: Terminal, options: ShowApprovalOptions): void {
  const { whole, why, words, above } = options;
  const { id, message, step, tool, args } = approval;
  logWrapped(toOneLine(words.message(message)), terminal, { lead: `${terminal.tint("yellow", "?")} ` });
  const where = step === undefined ? "" : `${toOneLine(step)}: `;
  const text = safeJson(args);
  const lines = whole
    ? text.split("\n")
    : fittingLines(text, terminal, { tool, words, seeAll: cliCommand(`approvals ${id}`), above });
  terminal.log(`  ${where}${terminal.tint("bold", toOneLine(tool))} ${lines.join("\n  ")}`);
  if (why !== undefined) logWrapped(toOneLine(why), terminal, { lead: "  ", style: "dim" });
}

/** Options of {@link fittingLines}. */
export interface FittingOptions {
  readonly tool: string;
  readonly words: ApprovalTexts;
  /** The command that shows the full arguments. */
  readonly seeAll: string;
  /** Number of prompts that share the screen. Default: 1. */
  readonly among?: number;
  /** Rows above that must stay on the screen. Default: 0. */
  readonly above?: number;
}

/** As many lines of the arguments as leave the prompt on the screen, and how to see the rest. */
export function fittingLines(text: string, terminal: Terminal, options: FittingOptions): readonly string[] {
  const { tool, words, seeAll, among = 1, above = 0 } = options;
  const columns = columnsFor(tool, terminal);
  const gap = (left: string): readonly string[] =>
    wrapText(words.omitted(formatBytes(Buffer.byteLength(left)), seeAll), columns);
  // The line about omitted arguments may take several rows, and must not push the output above off the screen.
  const taken = above === 0 ? 0 : above + gap("").length - 1;
  const rows = Math.max(4, Math.floor(((terminal.screen?.rows ?? 24) - otherRows - taken) / among));
  const tinted = (left: string): string =>
    gap(left)
      .map((line) => terminal.tint("yellow", line))
      .join("\n");
  return cutMiddle(text, { columns, rows }, tinted).flatMap((line) => line.split("\n"));
}

/** Repeats the tool and arguments in the final prompt, since the arguments above it may be long. */
export function approvalPromptText({ tool, args }: Approval, prompt: string, { sideColumns = 80 }: Terminal): string {
  const main = (isRecord(args) ? Object.values(args) : []).find(
    (value) => typeof value === "string" || typeof value === "number",
  );
  const about = cutDisplay(
    `${toOneLine(tool)}${main === undefined ? "" : ` ${toOneLine(String(main))}`}`,
    maxAboutLength,
  );
  const line = `  ${about}  ${prompt}`;
  return displayWidth(line) < sideColumns ? line : `  ${cutDisplay(about, sideColumns - 3)}\n  ${prompt}`;
}

const maxAboutLength = 60;

/** About two screens; longer arguments are shown by a separate command. */
const maxCount = 10_000;

/** Arguments of a call on one line. Long arguments are cut, with the omitted size and the command that shows all. */
export function argumentsLine(args: unknown, seeAll: string): string {
  const text = safeJson(args, 0);
  if (text.length <= maxCount) return text;
  const left = Buffer.byteLength(text.slice(maxCount));
  return `${text.slice(0, maxCount).toWellFormed()}… (${formatBytes(left)} more; show all with: ${seeAll})`;
}
