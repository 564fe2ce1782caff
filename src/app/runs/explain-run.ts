import { cliCommand, fail } from "../../base/index.ts";
import { type ExplainFact, type RunResult, explainFactText, explainFacts } from "../../chain/index.ts";
import { redactFailure } from "../../secrets/index.ts";
import { type Language, renderCoded, stripUnsafe } from "../../text/index.ts";
import { type WireCoded, toWireCoded } from "../wire/to-wire.ts";
import { type AgentFact, agentFactTexts } from "./agent-facts.ts";
import type { InspectedRun } from "./inspect-run.ts";
import { isUndo, listOpenApprovals } from "./open-approvals.ts";

/** A sentence of an explanation, and the fact that it states. */
export interface Explanation {
  readonly sentence: string;
  readonly fact: WireCoded;
  /** The step, if all steps of a run are explained. */
  readonly step?: string;
}

/** Options of {@link explainRun}. */
export interface ExplainRunOptions {
  /** Default: English. */
  readonly language?: Language;
  /** The command that approves what a call waits for. */
  readonly approveCommand: (approvalId: string) => string;
}

/**
 * Explains a run of any kind: the step with this name, or all steps if it is empty. Throws if there is no such step. The
 * steps of an agent's run are found by their number, by their id, or by their tool.
 */
export async function explainRun(
  inspected: InspectedRun,
  step: string,
  options: ExplainRunOptions,
): Promise<Explanation[]> {
  switch (inspected.run.kind) {
    case "chain":
      return explainChainRun(inspected, step, options);
    case "agent":
      return (await import("./explain-agent-run.ts")).explainAgentRun(inspected, step, options);
    case "call":
      return explainCall(inspected, step, options);
  }
}

/** A fact about an agent's run or a durable call, with its sentence. */
export function explainedAgentFact(fact: AgentFact, { language = "en" }: ExplainRunOptions): Explanation {
  return { sentence: oneLine(renderCoded(agentFactTexts[language], fact)), fact: toWireCoded(fact) };
}

/** Text of any origin on one line. */
export function oneLine(text: string): string {
  return stripUnsafe(text).replaceAll(/\s+/gu, " ").trim();
}

async function explainChainRun(
  inspected: InspectedRun,
  step: string,
  { language = "en" }: ExplainRunOptions,
): Promise<Explanation[]> {
  const result = await inspected.workspace.runs.inspect(inspected.run.id);
  const explained = (fact: ExplainFact): Explanation => ({
    sentence: stripUnsafe(explainFactText(fact, language)),
    fact: toWireCoded(fact),
  });
  if (step !== "") return (await stepFacts(inspected, result, step)).map(explained);
  const explanations = [explained(runFact(inspected, result))];
  for (const { id, status } of result.log().steps) {
    const all = await stepFacts(inspected, result, id);
    // A step that did not succeed is explained in full.
    const shown = status === "success" ? all.slice(0, 1) : all;
    explanations.push(...shown.map((fact) => ({ step: id, ...explained(fact) })));
  }
  return explanations;
}

function runFact({ isInterrupted }: InspectedRun, result: RunResult): ExplainFact {
  const { name, status, duration_ms: ms, error } = result.log();
  const why = error && { error: { code: error.code, message: oneLine(error.message) } };
  const params = { chain: oneLine(name), status: isInterrupted ? ("interrupted" as const) : status, ms, ...why };
  return { code: "run_status", params };
}

async function stepFacts(
  { workspace, isInterrupted }: InspectedRun,
  result: RunResult,
  step: string,
): Promise<ExplainFact[]> {
  const { redactor } = workspace.engine;
  const approvals = await listOpenApprovals(workspace, result.runId);
  // An approval of one item belongs to the step too; one of its compensation as well.
  const ofStep = approvals.filter((each) => each.step?.replace(/\[\d+\]$/, "") === step || each.step === step);
  const pending = ofStep.map((each): ExplainFact => {
    const call = { tool: oneLine(each.tool), args: JSON.stringify(each.args) };
    const params = { approval: each.id, step: oneLine(each.step ?? step), undo: isUndo(each), ...call };
    return { code: "approval_pending", params };
  });
  return [...explainFacts(result, step, { redactor, interrupted: isInterrupted }), ...pending];
}

async function explainCall(
  { workspace, run }: InspectedRun,
  step: string,
  options: ExplainRunOptions,
): Promise<Explanation[]> {
  const { redactor } = workspace.engine;
  const tool = oneLine(run.name);
  if (step !== "") {
    const message = `run ${run.id} is one call of ${tool}, without steps; explain it with: ${cliCommand(`explain ${run.id}`)}`;
    throw fail(message, { code: "validation_error", reason: "unknown_step" });
  }
  const params = { initiator: "program", tool, args: oneLine(redactor.text(run.input)) } as const;
  const outcome = await callOutcome({ workspace, run }, options);
  return [{ code: "called", params } as const, ...outcome].map((fact) => explainedAgentFact(fact, options));
}

async function callOutcome(
  { workspace, run }: Pick<InspectedRun, "workspace" | "run">,
  { approveCommand }: ExplainRunOptions,
): Promise<AgentFact[]> {
  const { result } = await workspace.calls.inspect(run.id);
  const ms = (run.finishedAt ?? run.startedAt) - run.startedAt;
  if (result?.success === true) return [{ code: "call_succeeded", params: { ms } }];
  if (result?.success === false) {
    const { code, message } = redactFailure(result.error, workspace.engine.redactor.text);
    return [{ code: "call_failed", params: { code, detail: oneLine(message), ms } }];
  }
  const approvals = await listOpenApprovals(workspace, run.id);
  if (approvals.length === 0) return [{ code: "outcome_unknown", params: {} }];
  return approvals.map(({ id }) => ({ code: "awaits_approval", params: { command: approveCommand(id) } }));
}
