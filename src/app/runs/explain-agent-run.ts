import type { ReasoningStep } from "../../agent/index.ts";
import { fail } from "../../base/index.ts";
import { toWireCoded } from "../wire/to-wire.ts";
import type { AgentFact } from "./agent-facts.ts";
import { type ExplainRunOptions, type Explanation, explainedAgentFact, oneLine } from "./explain-run.ts";
import { type InspectedRun, inspectAgentRun } from "./inspect-run.ts";

/** Explains a step of an agent's run, or all of them. */
export async function explainAgentRun(
  inspected: InspectedRun,
  step: string,
  options: ExplainRunOptions,
): Promise<Explanation[]> {
  const { block } = await inspectAgentRun(inspected);
  const explain = (each: ReasoningStep): Explanation[] =>
    factsOf(each, options).map((fact) => explainedAgentFact(fact, options));
  if (step === "" && block.steps.length > 0) return block.steps.flatMap(explain);
  const found = findStep(block.steps, step);
  if (found !== undefined) return explain(found);
  const known = block.steps.map(({ text }, at) => `${at + 1}. ${oneLine(text)}`);
  const problem = step === "" ? "the run has" : `there is no step ${JSON.stringify(step)}; the run has`;
  const message = `run ${inspected.run.id}: ${problem} ${known.length === 0 ? "none" : ["these:", ...known].join("\n")}`;
  throw fail(message, { code: "validation_error", reason: "unknown_step" });
}

/** Finds a step by its number, starting at 1, by its id, or as the last one of a tool. */
function findStep(steps: readonly ReasoningStep[], name: string): ReasoningStep | undefined {
  const byNumber = /^\d{1,6}$/.test(name) ? steps[Number(name) - 1] : undefined;
  return byNumber ?? steps.find(({ id }) => id === name) ?? steps.findLast(({ tool }) => tool === name);
}

function factsOf(step: ReasoningStep, options: ExplainRunOptions): AgentFact[] {
  const { kind, text, notice, durationMs, approvalId, tool = "", initiator = "model", args } = step;
  if (kind === "notice")
    return [{ code: "notice", params: { text, ...(notice !== undefined && { notice: toWireCoded(notice) }) } }];
  const took = durationMs === undefined ? undefined : { ms: durationMs };
  if (kind === "model") return [{ code: "model_request", params: { ...roundOf(step), text: oneLine(text), ...took } }];
  const input = args === undefined ? undefined : { args: JSON.stringify(args) };
  const round = initiator === "model" ? roundOf(step) : undefined;
  const called: AgentFact = { code: "called", params: { initiator, tool: oneLine(tool), ...input, ...round } };
  const outcome = outcomeOf(step, options);
  if (approvalId === undefined) return [called, outcome];
  return [called, { code: "approval_needed", params: { approval: approvalId } }, outcome];
}

/** The main part has no name. */
function roundOf({ round, part = "main" }: ReasoningStep): { readonly round?: number; readonly part?: string } {
  return { ...(round !== undefined && { round }), ...(part !== "main" && { part }) };
}

function outcomeOf(step: ReasoningStep, { approveCommand }: ExplainRunOptions): AgentFact {
  const { state, detail, durationMs, error, approvalId = "" } = step;
  const took = durationMs === undefined ? undefined : { ms: durationMs };
  switch (state) {
    case "active":
      return { code: "outcome_unknown", params: {} };
    case "waiting":
      return { code: "awaits_approval", params: { command: approveCommand(approvalId) } };
    case "failed": {
      const code = error && { code: error.code };
      return { code: "call_failed", params: { ...code, detail: oneLine(detail ?? ""), ...took } };
    }
    case "done": {
      const shown = detail === undefined ? undefined : { detail: oneLine(detail) };
      return { code: "call_succeeded", params: { ...shown, ...took } };
    }
    default:
      return state satisfies never;
  }
}
