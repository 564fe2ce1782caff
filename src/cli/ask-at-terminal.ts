import { createInterface } from "node:readline";
import type { Answer, Approver } from "../engine/index.ts";
import type { ApprovalRequest, ApprovalStore } from "../store/index.ts";
import { oneLine } from "./format-table.ts";
import { safeJson } from "./safe-json.ts";
import type { Terminal } from "./terminal.ts";

/** What {@link askAtTerminal} needs. */
export interface AskOptions {
  readonly terminal: Terminal;
  /** Where decisions are kept; asked for when the first question comes. */
  readonly approvals: () => ApprovalStore;
  /** Who sits at the terminal. */
  readonly by: string | undefined;
}

/**
 * Asks the person at the terminal. A decision that someone made before counts first. A "yes" is kept like every other
 * approval; a "no" only ends this call, so that a slip of the finger can be mended.
 */
export function askAtTerminal({ terminal, approvals, by }: AskOptions): Approver {
  return {
    async ask(request, signal) {
      const store = approvals();
      const earlier = await decidedBefore(store, request);
      if (earlier !== undefined) return earlier;
      if (!(await asksYes(terminal, request, signal))) return { kind: "rejected", note: "declined at the terminal" };
      const now = Date.now();
      const { id } = await store.request(request);
      await store.decide(id, { approved: true, ...(by !== undefined && { by }) }, now);
      await store.consume(request.key, now);
      return { kind: "approved" };
    },
  };
}

async function decidedBefore(store: ApprovalStore, { key }: ApprovalRequest): Promise<Answer | undefined> {
  const now = Date.now();
  if (await store.consume(key, now)) return { kind: "approved" };
  const rejected = (await store.list(now, "rejected")).find(
    (approval) => approval.key === key && now < approval.expiresAt,
  );
  if (rejected === undefined) return undefined;
  return { kind: "rejected", ...(rejected.note !== undefined && { note: rejected.note }) };
}

async function asksYes(terminal: Terminal, request: ApprovalRequest, signal: AbortSignal): Promise<boolean> {
  terminal.tell(`${terminal.tint("yellow", "?")} ${oneLine(request.message)}`);
  terminal.tell(`  ${terminal.tint("bold", oneLine(request.tool))} ${safeJson(request.args).replaceAll("\n", "\n  ")}`);
  // The terminal stays in its usual mode, so that Ctrl-C still reaches the program.
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    const answer = await new Promise<string>((resolve) => {
      reader.question("  Run it? [y/N] ", { signal }, resolve);
      reader.once("close", () => resolve(""));
      signal.addEventListener("abort", () => resolve(""), { once: true });
    });
    return /^\s*(?:y|yes)\s*$/i.test(answer);
  } finally {
    reader.close();
  }
}
