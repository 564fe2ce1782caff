import type { AskPerson } from "../chain/index.ts";
import type { Approval, Decision } from "../store/index.ts";
import { argumentsLine } from "./arguments-line.ts";
import { oneLine } from "./format-table.ts";
import { forgetTyped } from "./forget-typed.ts";
import { readAnswer } from "./read-answer.ts";
import type { RunView } from "./run-view/run-view.ts";
import { safeJson } from "./safe-json.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Terminal } from "./terminal.ts";

/** What {@link askInRun} needs. */
export interface AskInRunOptions {
  readonly terminal: Terminal;
  /** Makes room for the question. */
  readonly view: Pick<RunView, "pause">;
  /** Who sits at the terminal. */
  readonly by: string | undefined;
  /** Whether the run can be left with its question open. */
  readonly durable: boolean;
  /** Why a person is asked, where there is more to say than the question does. */
  readonly why?: (approval: Approval) => string | undefined;
  /** What is asked at last, in other words. */
  readonly prompt?: () => string;
}

/** Asks the person at the terminal what a run wants to know, one question at a time. */
export function askInRun(options: AskInRunOptions): AskPerson {
  let before: Promise<unknown> = Promise.resolve();
  return (approval, signal) => {
    const answer = before.then(() => askOne(approval, signal, options));
    before = answer.catch(() => undefined);
    return answer;
  };
}

async function askOne(
  approval: Approval,
  signal: AbortSignal,
  options: AskInRunOptions,
): Promise<Decision | undefined> {
  if (signal.aborted) return undefined;
  const { terminal, view, by, durable } = options;
  const resume = view.pause();
  try {
    await forgetTyped();
    tellQuestion(approval, options);
    const refusal = whyNot(approval, by);
    if (refusal !== undefined) {
      terminal.tell(`  ${refusal}`);
      return undefined;
    }
    const usual = durable ? "Approve? [y/n, Enter to decide later] " : "Approve? [y/N] ";
    const answer = (await readAnswer(`  ${options.prompt?.() ?? usual}`, signal)).trim();
    const named = by === undefined ? {} : { by };
    if (/^(?:y|yes)$/i.test(answer)) return { approved: true, ...named };
    if (/^(?:n|no)$/i.test(answer)) return { approved: false, note: "declined at the terminal", ...named };
    // What only lives in this process cannot wait for anybody else.
    return durable || signal.aborted ? undefined : { approved: false, note: "declined at the terminal", ...named };
  } finally {
    resume();
  }
}

/** Nobody but this person will see it, where the run is not kept: then nothing is left out, however much it is. */
function tellQuestion(approval: Approval, { terminal, durable, why }: AskInRunOptions): void {
  const { id, message, step, tool, args } = approval;
  tellWrapped(oneLine(message), terminal, { lead: `${terminal.tint("yellow", "?")} ` });
  const where = step === undefined ? "" : `${oneLine(step)}: `;
  const whole = safeJson(args).replaceAll("\n", "\n  ");
  const shown = durable && whole.length > 10_000 ? argumentsLine(args, `windlass approvals ${id}`) : whole;
  terminal.tell(`  ${where}${terminal.tint("bold", oneLine(tool))} ${shown}`);
  const because = why?.(approval);
  if (because !== undefined) tellWrapped(oneLine(because), terminal, { lead: "  ", style: "dim" });
}

/** Why this person may not decide; undefined when they may. */
export function whyNot({ approvers }: Pick<Approval, "approvers">, by: string | undefined): string | undefined {
  if (approvers === undefined || approvers.length === 0 || (by !== undefined && approvers.includes(by))) {
    return undefined;
  }
  const who = by === undefined ? "it is not known who you are" : `you are ${oneLine(by)}`;
  return `only ${approvers.map(oneLine).join(" or ")} may decide; ${who}`;
}
