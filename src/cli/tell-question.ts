import { isRecord } from "../schema/index.ts";
import type { Approval } from "../store/index.ts";
import { cutDisplay, displayWidth, stripUnsafe } from "../text/index.ts";
import { cutMiddle } from "./cut-middle.ts";
import { formatBytes } from "./format-figures.ts";
import { oneLine } from "./format-table.ts";
import { safeJson } from "./safe-json.ts";
import { shortText } from "./short-text.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Terminal } from "./terminal.ts";
import { wrapText } from "./wrap-text.ts";

/** What was typed for something else is no answer, and not gone without a word. */
export function tellForgotten(typed: string, terminal: Terminal): void {
  const text = shortText(stripUnsafe(typed).trim(), 200);
  if (text !== "") tellWrapped(`not used, since it was typed before the question: ${text}`, terminal, { style: "dim" });
}

/** Rows of the question that are not for the arguments. */
const otherRows = 8;

/** How a question is told. */
export interface QuestionOptions {
  /** Nothing is left out, however much it is: nobody can look at it in another way. */
  readonly whole: boolean;
  /** Why a person is asked. */
  readonly why: string | undefined;
}

/** Tells what is to be decided on. */
export function tellQuestion(approval: Approval, terminal: Terminal, { whole, why }: QuestionOptions): void {
  const { message, step, tool, args } = approval;
  tellWrapped(oneLine(message), terminal, { lead: `${terminal.tint("yellow", "?")} ` });
  const where = step === undefined ? "" : `${oneLine(step)}: `;
  const text = safeJson(args);
  const lines = whole ? text.split("\n") : fitting(text, approval, terminal);
  terminal.tell(`  ${where}${terminal.tint("bold", oneLine(tool))} ${lines.join("\n  ")}`);
  if (why !== undefined) tellWrapped(oneLine(why), terminal, { lead: "  ", style: "dim" });
}

/** As much of the arguments as leaves the question on the screen, and how to see them all. */
function fitting(text: string, { id, tool }: Approval, terminal: Terminal): readonly string[] {
  const { screen, sideColumns } = terminal;
  // They begin behind the tool's name.
  const columns = Math.max(20, (sideColumns ?? 80) - 4 - displayWidth(oneLine(tool)));
  const rows = Math.max(4, (screen?.rows ?? 24) - otherRows);
  return cutMiddle(text, { columns, rows }, (left) => {
    const told = `… ${formatBytes(Buffer.byteLength(left))} left out; windlass approvals ${id} shows all …`;
    return wrapText(told, columns)
      .map((line) => terminal.tint("yellow", line))
      .join("\n  ");
  });
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
