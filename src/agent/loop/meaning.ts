import { type ModelTurn, type TurnToolCall, toolCallsOf } from "../../model/index.ts";
import { parseArguments } from "../../schema/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { Request } from "./ask.ts";
import { bareName } from "./bare-name.ts";
import { effectOfCall } from "./effect-of-call.ts";
import type { OfferedTools } from "./offered-tools.ts";

/**
 * What a call of a model means, by the tools that there were when it came. Plain JSON: it is in the journal with the
 * answer, so that a run which is told again means the same by it.
 */
export interface Meaning {
  /** By which it is called. */
  readonly tool: string;
  /** The tool's own name, where that is an alias. */
  readonly name?: string;
  readonly effect: Effect;
  /** The arguments, where they are not as the model wrote them. */
  readonly args?: unknown;
}

/** A call of an answer; one that says nothing of what it means was sent when none could be made. */
export interface MeantCall extends TurnToolCall {
  readonly means?: Meaning;
}

/** What a call means, as things are now. */
export function meaningOf({ engine }: AgentRun, offered: OfferedTools, call: TurnToolCall): Meaning {
  const written = offered.nameOf(call.name);
  const tool = engine.resolver.resolve(written)?.tool;
  const name = tool === undefined || tool.name === written ? undefined : { name: tool.name };
  // Reading the arguments takes longer than all the rest, and mostly nothing depends on them.
  if (typeof tool?.effect !== "function" && !offered.renames(call.name)) {
    return { tool: written, ...name, effect: tool?.effect ?? "pure" };
  }
  const sent = argumentsOf(call);
  if (sent === undefined) return { tool: call.name, effect: "pure" };
  const args = offered.argumentsOf(call.name, sent);
  const effect = tool === undefined ? "pure" : effectOfCall(tool, args);
  return { tool: written, ...name, effect, ...(args !== sent && { args }) };
}

/** The arguments as the model wrote them; undefined where they cannot be read. */
function argumentsOf({ broken, input }: TurnToolCall): unknown {
  if (broken !== undefined) return undefined;
  const parsed = parseArguments(input === "" ? "{}" : input);
  return parsed.issues === undefined ? parsed.value : undefined;
}

/**
 * An answer whose calls say what they mean; nothing where none of them can be made. A model that was told of no tools has
 * none to call, and services refuse to see such calls again.
 */
export function understood(run: AgentRun, turn: ModelTurn, { tools, toolChoice }: Request): ModelTurn {
  if (!turn.content.some(({ type }) => type === "tool-call")) return turn;
  if (tools === undefined || tools.size === 0) {
    return { ...turn, content: turn.content.filter(({ type }) => type === "text") };
  }
  if (toolChoice === "none") return turn;
  const content = turn.content.map((part) => (part.type === "tool-call" ? withMeaning(run, tools, part) : part));
  return { ...turn, content };
}

function withMeaning(run: AgentRun, tools: OfferedTools, part: TurnToolCall): MeantCall {
  const name = nameIn(run, tools, part);
  const call = name === part.name ? part : { ...part, name };
  return { ...call, means: meaningOf(run, tools, call) };
}

/** A tool that has the very name that was written is what is meant, offered or not. */
function nameIn({ engine }: AgentRun, tools: OfferedTools, { name }: TurnToolCall): string {
  return bareName(name, (each) => tools.knows(each) || (each === name && engine.resolver.resolve(each) !== undefined));
}

/** The calls of an answer that was understood. */
export function meantCalls(turn: ModelTurn): readonly MeantCall[] {
  return toolCallsOf(turn);
}
