import type { TurnToolCall } from "../../../model/index.ts";
import { parseArguments } from "../../../schema/index.ts";
import type { Place } from "../../agent-event.ts";
import { type Flow, all } from "../../flow/flow.ts";
import type { MeantCall } from "../../loop/meaning.ts";
import type { ToolResultPart } from "../../message.ts";
import type { OfferedTools } from "../../loop/offered-tools.ts";
import { runToolCalls } from "../../loop/run-tool-calls.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type Gathered, gatheredFrom } from "../gathered.ts";
import type { CommandWork } from "./command-work.ts";

/** Calls of a plan beside the commands of the user. */
export interface Both {
  readonly place: Place;
  readonly calls: readonly MeantCall[];
  readonly offered: OfferedTools | undefined;
  readonly commands: readonly CommandWork[];
  readonly terms: readonly string[];
}

/** What came of both. */
export interface CarriedOut {
  readonly gathered: readonly Gathered[];
  /** The answer to each call of the plan. */
  readonly parts: readonly ToolResultPart[];
}

/**
 * Carries out the calls of a plan and the commands of the user, side by side. A command that looks up what the question
 * is about is left to the plan where that calls the same tool, and done all the same where it failed; one that changes
 * something is done as the user wrote it, and the plan does not do it again.
 */
export function* carryOut(run: AgentRun, { place, calls, offered, commands, terms }: Both): Flow<CarriedOut> {
  const isDropped = (call: MeantCall): boolean => commands.some(({ writes, tool }) => writes && tool === toolOf(call));
  const made = calls.filter((call) => !isDropped(call));
  const named = new Set(made.map(toolOf));
  const atOnce = commands.filter(({ yields, tool }) => !yields || !named.has(tool));
  let parts: readonly ToolResultPart[] = [];
  const planned = function* (): Flow<readonly Gathered[]> {
    const called = yield* runToolCalls(run, { place, calls: made, offered });
    ({ parts } = called);
    return called.fresh.map(gatheredFrom);
  };
  const [own = [], asked = []] = yield* all([doAll(run, atOnce, terms), planned()]);
  const well = new Set(parts.flatMap(({ toolCallId, output }) => (output.type === "text" ? [toolCallId] : [])));
  const done = new Set(made.filter(({ id }) => well.has(id)).map(toolOf));
  const later = commands.filter((command) => !atOnce.includes(command) && !done.has(command.tool));
  const late = yield* doAll(run, later, terms);
  return { gathered: [...own, ...asked, ...late], parts: [...parts, ...calls.filter(isDropped).map(leftToUser)] };
}

/** In their order: those that look something up go on side by side, up to the next that changes something. */
function* doAll(run: AgentRun, commands: readonly CommandWork[], terms: readonly string[]): Flow<readonly Gathered[]> {
  const gathered: Gathered[] = [];
  let beside: Flow<Gathered>[] = [];
  for (const [index, command] of commands.entries()) {
    beside.push(command.run(terms));
    if (!command.writes && commands[index + 1]?.writes === false) continue;
    gathered.push(...(yield* all(beside, run.spec.maxParallel)));
    beside = [];
  }
  return gathered;
}

/** The name of the tool that a call means; undefined where it cannot be made. */
function toolOf({ broken, input, means }: MeantCall): string | undefined {
  if (broken !== undefined || parseArguments(input === "" ? "{}" : input).issues !== undefined) return undefined;
  return means?.name ?? means?.tool;
}

function leftToUser({ id, name }: TurnToolCall): ToolResultPart {
  const value = "This was not run: a command of the user does it.";
  return { type: "tool-result", toolCallId: id, toolName: name, output: { type: "error-text", value } };
}
