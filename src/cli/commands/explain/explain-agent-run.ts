import type { ReasoningStep } from "../../../agent/index.ts";
import { renderCoded } from "../../../text/index.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { type InspectedAgentRun, inspectAgentRun } from "../../open/inspect-agent-run.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { cliTexts } from "../../terminal/texts/cli-texts.ts";
import type { AgentFact } from "../../terminal/texts/agent-fact.ts";
import { toWireCoded } from "../../wire/wire-coded.ts";
import type { Explanation } from "./explanation.ts";
import { UsageError } from "../../program/usage-error.ts";

/** Explains a step of an agent's run. The step is identified by its number in `show`, or by its tool. */
export async function explainAgent(
  invocation: Invocation,
  past: InspectedAgentRun,
  step: string,
): Promise<Explanation[]> {
  const { block } = await inspectAgentRun(past);
  if (step === "" && block.steps.length > 0) return block.steps.flatMap((each) => explain(each, invocation));
  const found = findStep(block.steps, step);
  if (found === undefined) {
    const known = block.steps.map(({ text }, at) => `${at + 1}. ${toOneLine(text)}`);
    const problem = step === "" ? "the run has" : `there is no step ${JSON.stringify(step)}; the run has`;
    throw new UsageError(`run ${past.run.id}: ${problem} ${known.length === 0 ? "none" : "these"}`, ...known);
  }
  return explain(found, invocation);
}

/** Finds a step by its number, starting at 1, by its id, or as the last one of a tool. */
function findStep(steps: readonly ReasoningStep[], name: string): ReasoningStep | undefined {
  const byNumber = /^\d{1,6}$/.test(name) ? steps[Number(name) - 1] : undefined;
  return byNumber ?? steps.find(({ id }) => id === name) ?? steps.findLast(({ tool }) => tool === name);
}

/** The facts about a step, and their sentences. */
function explain(step: ReasoningStep, invocation: Invocation): Explanation[] {
  return factsOf(step, invocation).map((fact) => ({
    sentence: renderCoded(cliTexts.en.facts, fact),
    fact: toWireCoded(fact),
  }));
}

function factsOf(step: ReasoningStep, invocation: Invocation): AgentFact[] {
  const { kind, text, notice, durationMs, approvalId, tool = "", initiator = "model", args } = step;
  if (kind === "notice")
    return [{ code: "notice", params: { text, ...(notice !== undefined && { notice: toWireCoded(notice) }) } }];
  const took = durationMs === undefined ? undefined : { ms: durationMs };
  if (kind === "model")
    return [{ code: "model_request", params: { ...roundOf(step), text: toOneLine(text), ...took } }];
  const input = args === undefined ? undefined : { args: safeJson(args, 0) };
  const round = initiator === "model" ? roundOf(step) : undefined;
  const called: AgentFact = { code: "called", params: { initiator, tool: toOneLine(tool), ...input, ...round } };
  const outcome = outcomeOf(step, invocation);
  if (approvalId === undefined) return [called, outcome];
  return [called, { code: "approval_needed", params: { approval: approvalId } }, outcome];
}

/** The main part has no name. */
function roundOf({ round, part = "main" }: ReasoningStep): { readonly round?: number; readonly part?: string } {
  return { ...(round !== undefined && { round }), ...(part !== "main" && { part }) };
}

function outcomeOf(step: ReasoningStep, invocation: Invocation): AgentFact {
  const { state, detail, durationMs, error, approvalId = "" } = step;
  const took = durationMs === undefined ? undefined : { ms: durationMs };
  switch (state) {
    case "active":
      return { code: "outcome_unknown", params: {} };
    case "waiting":
      return { code: "awaits_approval", params: { command: commandLine(invocation, "approve", approvalId) } };
    case "failed":
      return {
        code: "call_failed",
        params: { ...(error && { code: error.code }), detail: toOneLine(detail ?? ""), ...took },
      };
    case "done":
      return {
        code: "call_succeeded",
        params: { ...(detail !== undefined && { detail: toOneLine(detail) }), ...took },
      };
    default:
      return state satisfies never;
  }
}
