import type { CallDecider, ReasoningStep } from "../agent/index.ts";
import { formatDuration } from "../text/index.ts";
import { oneLine } from "./format-table.ts";
import { type Invocation, commandLine } from "./invocation.ts";
import { type PastAgent, lookAtAgent } from "./past-agent.ts";
import { safeJson } from "./safe-json.ts";
import { UsageError } from "./usage-error.ts";

/** What a step of an agent's run did, in sentences. It is named by its number in `show`, or by its tool. */
export async function explainAgent(invocation: Invocation, past: PastAgent, step: string): Promise<string[]> {
  const { block } = await lookAtAgent(past);
  const found = findStep(block.steps, step);
  if (found === undefined) {
    const known = block.steps.map(({ text }, at) => `${at + 1}. ${oneLine(text)}`);
    const what = step === "" ? "which step? It has" : `there is no step ${JSON.stringify(step)}; it has`;
    throw new UsageError(`run ${past.run.id}: ${what} ${known.length === 0 ? "none" : "these"}`, ...known);
  }
  return sentences(found, invocation);
}

/** By number, counted from 1; by its id; or the last one of a tool. */
function findStep(steps: readonly ReasoningStep[], name: string): ReasoningStep | undefined {
  const byNumber = /^\d{1,6}$/.test(name) ? steps[Number(name) - 1] : undefined;
  return byNumber ?? steps.find(({ id }) => id === name) ?? steps.findLast(({ tool }) => tool === name);
}

/** Who wanted a call, in words that its tool follows. */
const deciders: Readonly<Record<CallDecider, string>> = {
  model: "The model asked for",
  runner: "The runner decided by itself on",
  person: "A command in the question asked for",
};

/** Who asked for what. The rounds are those of the model. */
function calledBy(step: ReasoningStep): string {
  const { tool = "", decidedBy = "model", args } = step;
  const given = args === undefined ? "" : ` with ${safeJson(args, 0)}`;
  return `${deciders[decidedBy]} ${oneLine(tool)}${given}${decidedBy === "model" ? roundOf(step) : ""}.`;
}

function roundOf({ round, part = "main" }: ReasoningStep): string {
  return round === undefined ? "" : ` in round ${round}${part === "main" ? "" : ` of ${part}`}`;
}

function sentences(step: ReasoningStep, invocation: Invocation): string[] {
  const { kind, text, detail, durationMs, error, approvalId, state } = step;
  if (kind === "note") return [`A note: ${text}.`];
  const took = durationMs === undefined ? "" : ` It took ${formatDuration(durationMs)}.`;
  if (kind === "model") return [`The model was asked${roundOf(step)}: ${oneLine(text)}.${took}`];
  const asked = approvalId === undefined ? [] : [`A person had to decide on it: approval ${approvalId}.`];
  return [calledBy(step), ...asked, outcome()];

  function outcome(): string {
    switch (state) {
      case "active":
        return "It is not known yet what came of it.";
      case "waiting":
        return `It waits for a decision: ${commandLine(invocation, "approve", approvalId ?? "")} lets it run.`;
      case "failed":
        return `It failed${error === undefined ? "" : ` (${error.code})`}: ${oneLine(detail ?? "")}.${took}`;
      case "done":
        return `It succeeded${detail === undefined ? "" : `: ${oneLine(detail)}`}.${took}`;
      default:
        return state satisfies never;
    }
  }
}
