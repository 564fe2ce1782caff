import type { CallInitiator, ReasoningStep } from "../../../agent/index.ts";
import { formatDuration } from "../../../text/index.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { type InspectedAgentRun, inspectAgentRun } from "../../open/inspect-agent-run.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { UsageError } from "../../program/usage-error.ts";

/** Describes a step of an agent's run in sentences. The step is identified by its number in `show`, or by its tool. */
export async function explainAgent(invocation: Invocation, past: InspectedAgentRun, step: string): Promise<string[]> {
  const { block } = await inspectAgentRun(past);
  if (step === "" && block.steps.length > 0) return block.steps.flatMap((each) => sentences(each, invocation));
  const found = findStep(block.steps, step);
  if (found === undefined) {
    const known = block.steps.map(({ text }, at) => `${at + 1}. ${toOneLine(text)}`);
    const problem = step === "" ? "the run has" : `there is no step ${JSON.stringify(step)}; the run has`;
    throw new UsageError(`run ${past.run.id}: ${problem} ${known.length === 0 ? "none" : "these"}`, ...known);
  }
  return sentences(found, invocation);
}

/** Finds a step by its number, starting at 1, by its id, or as the last one of a tool. */
function findStep(steps: readonly ReasoningStep[], name: string): ReasoningStep | undefined {
  const byNumber = /^\d{1,6}$/.test(name) ? steps[Number(name) - 1] : undefined;
  return byNumber ?? steps.find(({ id }) => id === name) ?? steps.findLast(({ tool }) => tool === name);
}

/** Initiator of a call, as the beginning of a sentence; the tool follows. */
const deciders: Readonly<Record<CallInitiator, string>> = {
  model: "The model called",
  runner: "The runner itself called",
  person: "A command in the prompt called",
};

/** Describes the call with its initiator. Rounds are those of the model. */
function calledBy(step: ReasoningStep): string {
  const { tool = "", initiator = "model", args } = step;
  const input = args === undefined ? "" : ` with ${safeJson(args, 0)}`;
  return `${deciders[initiator]} ${toOneLine(tool)}${input}${initiator === "model" ? roundOf(step) : ""}.`;
}

function roundOf({ round, part = "main" }: ReasoningStep): string {
  return round === undefined ? "" : ` in round ${round}${part === "main" ? "" : ` of ${part}`}`;
}

function sentences(step: ReasoningStep, invocation: Invocation): string[] {
  const { kind, text, detail, durationMs, error, approvalId, state } = step;
  if (kind === "notice") return [`A note: ${text}.`];
  const took = durationMs === undefined ? "" : ` It took ${formatDuration(durationMs)}.`;
  if (kind === "model") return [`Model request${roundOf(step)}: ${toOneLine(text)}.${took}`];
  const request = approvalId === undefined ? [] : [`It needed approval: ${approvalId}.`];
  return [calledBy(step), ...request, outcome()];

  function outcome(): string {
    switch (state) {
      case "active":
        return "Its outcome is not known yet.";
      case "waiting":
        return `It waits for approval: ${commandLine(invocation, "approve", approvalId ?? "")}`;
      case "failed":
        return `It failed${error === undefined ? "" : ` (${error.code})`}: ${toOneLine(detail ?? "")}.${took}`;
      case "done":
        return `It succeeded${detail === undefined ? "" : `: ${toOneLine(detail)}`}.${took}`;
      default:
        return state satisfies never;
    }
  }
}
