import { bringsUrls } from "../../engine/index.ts";
import type { EngineExecutorOptions, HostOutcome } from "../../run/index.ts";
import type { JournalEvent } from "../../store/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { Plan } from "../plan/plan.ts";
import { callsOfStep } from "../plan/planned-calls.ts";
import { TaintedCalls } from "./tainted-calls.ts";

/** The untrusted content of a run, for its executor. `events` are those of earlier executions of the run. */
export function untrustedContent(
  plan: Plan,
  run: { readonly input: unknown; readonly tainted: boolean; readonly events: readonly JournalEvent[] },
): Pick<EngineExecutorOptions, "tainted" | "untrusted" | "known"> {
  const { input, tainted, events } = run;
  const calls = TaintedCalls.of(plan, tainted ? "all" : []);
  const known = (): unknown[] => {
    const targets = plan.steps.flatMap(callsOfStep).map(({ target }) => target);
    const tools = new Map(targets.flatMap(({ tool }) => (tool === undefined ? [] : [[tool.name, tool] as const])));
    return [...(tainted ? [] : [input]), ...events.flatMap((event) => outputOf(event, tools))];
  };
  return { tainted: calls, untrusted: calls, known };
}

/** The output of a call that has ended. */
function outputOf({ kind, data }: JournalEvent, tools: ReadonlyMap<string, AnyTool>): unknown[] {
  if (kind !== "settled") return [];
  // The host wrote the data, so its shape is known.
  const outcome = data as HostOutcome;
  if (outcome.kind !== "call" || !outcome.result.success) return [];
  return bringsUrls(outcome.result, outcome.effect, tools.get(outcome.result.tool)) ? [outcome.result.output] : [];
}
