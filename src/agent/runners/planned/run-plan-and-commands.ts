import type { TurnToolCall } from "../../../model/index.ts";
import { parseArguments } from "../../../schema/index.ts";
import type { TurnRef } from "../../events/agent-event.ts";
import { type RunProgram, runAll } from "../../../run/index.ts";
import type { ResolvedToolCall } from "../../loop/resolve-tool-calls.ts";
import type { ToolResultPart } from "../../events/message.ts";
import type { OfferedTools } from "../../run/offered-tools.ts";
import { runToolCalls } from "../../loop/run-tool-calls.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type GatheredResult, toGatheredResult } from "../gathered-results.ts";
import type { CommandWork } from "./command-tasks.ts";

/** Calls of a plan, and the commands of the user. */
export interface PlanAndCommands {
  readonly turnRef: TurnRef;
  readonly calls: readonly ResolvedToolCall[];
  readonly offered: OfferedTools | undefined;
  readonly commands: readonly CommandWork[];
  readonly terms: readonly string[];
}

/** Results of both. */
export interface PlanResults {
  readonly gathered: readonly GatheredResult[];
  /** The result of each call of the plan. */
  readonly parts: readonly ToolResultPart[];
}

/**
 * Executes the calls of a plan and the commands of the user concurrently. A command that looks something up is left out
 * if the plan calls the same tool, and is executed if that call failed; a command that changes something is executed as
 * the user wrote it, and the plan does not repeat it.
 */
export function* runPlanAndCommands(
  run: AgentRun,
  { turnRef, calls, offered, commands, terms }: PlanAndCommands,
): RunProgram<PlanResults> {
  const isDropped = (call: ResolvedToolCall): boolean =>
    commands.some(({ writes, tool }) => writes && tool === toolOf(call));
  const made = calls.filter((call) => !isDropped(call));
  const named = new Set(made.map(toolOf));
  const atOnce = commands.filter(({ yields, tool }) => !yields || !named.has(tool));
  let parts: readonly ToolResultPart[] = [];
  const planned = function* (): RunProgram<readonly GatheredResult[]> {
    const called = yield* runToolCalls(run, { turnRef, calls: made, offered });
    ({ parts } = called);
    return called.fresh.map(toGatheredResult);
  };
  const [own = [], prompt = []] = yield* runAll([doAll(run, atOnce, terms), planned()]);
  const well = new Set(parts.flatMap(({ toolCallId, output }) => (output.type === "text" ? [toolCallId] : [])));
  const done = new Set(made.filter(({ id }) => well.has(id)).map(toolOf));
  const later = commands.filter((command) => !atOnce.includes(command) && !done.has(command.tool));
  const late = yield* doAll(run, later, terms);
  return {
    gathered: [...own, ...prompt, ...late],
    parts: [...parts, ...calls.filter(isDropped).map(skippedForCommand)],
  };
}

/** In their order: reads run concurrently, up to the next write. */
function* doAll(
  run: AgentRun,
  commands: readonly CommandWork[],
  terms: readonly string[],
): RunProgram<readonly GatheredResult[]> {
  const gathered: GatheredResult[] = [];
  let beside: RunProgram<GatheredResult>[] = [];
  for (const [index, command] of commands.entries()) {
    beside.push(command.run(terms));
    if (!command.writes && commands[index + 1]?.writes === false) continue;
    gathered.push(...(yield* runAll(beside, run.spec.maxParallel)));
    beside = [];
  }
  return gathered;
}

/** The name of the tool that a call resolves to; undefined if it cannot be made. */
function toolOf({ broken, input, resolution }: ResolvedToolCall): string | undefined {
  if (broken !== undefined || parseArguments(input === "" ? "{}" : input).issues !== undefined) return undefined;
  return resolution?.name ?? resolution?.tool;
}

function skippedForCommand({ id, name }: TurnToolCall): ToolResultPart {
  const value = "This was not run: a command of the user does it.";
  return { type: "tool-result", toolCallId: id, toolName: name, output: { type: "error-text", value } };
}
