import type { ModelTurn, TurnToolCall } from "../../model/index.ts";
import { parseArguments } from "../../schema/index.ts";
import { type Effect, nameToCall } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { TurnRequest } from "./request-model.ts";
import type { OfferedTools } from "../run/offered-tools.ts";
import { resolveCallEffect } from "../../engine/index.ts";

/**
 * Interpretation of a model's call, by the tools available when it arrived. Plain JSON: it is in the journal with the
 * response, so that a replay interprets the call in the same way.
 */
export interface CallResolution {
  /** Name under which the tool is called. */
  readonly tool: string;
  /** The tool's own name if that is an alias. */
  readonly name?: string;
  readonly effect: Effect;
  /** The arguments if they differ from the model's. */
  readonly args?: unknown;
}

/** A response in the journal, with the names of the tools that its model was offered, in this order. */
export interface RecordedTurn extends ModelTurn {
  readonly offered?: readonly string[];
}

/** A call of a response; without an interpretation if no call could be made when it arrived. */
export interface ResolvedToolCall extends TurnToolCall {
  readonly resolution?: CallResolution;
}

/** Interprets a call by the tools available now. */
export function resolveToolCall({ engine }: AgentRun, offered: OfferedTools, call: TurnToolCall): CallResolution {
  const written = offered.nameOf(call.name);
  const tool = engine.resolver.resolve(written)?.tool;
  // A form of a tool has other arguments: it is another call than that of the tool.
  const own = tool === undefined ? written : nameToCall(tool);
  const name = own === written ? undefined : { name: own };
  // Parsing the arguments takes longer than all the rest, and mostly nothing depends on them.
  if (typeof tool?.effect !== "function" && !offered.renames(call.name)) {
    return { tool: written, ...name, effect: tool?.effect ?? "pure" };
  }
  const sent = argumentsOf(call);
  if (sent === undefined) return { tool: call.name, effect: "pure" };
  const args = offered.argumentsOf(call.name, sent);
  const effect = tool === undefined ? "pure" : resolveCallEffect(tool, args);
  return { tool: written, ...name, effect, ...(args !== sent && { args }) };
}

/** The arguments as the model wrote them; undefined if they cannot be parsed. */
function argumentsOf({ broken, input }: TurnToolCall): unknown {
  if (broken !== undefined) return undefined;
  const parsed = parseArguments(input === "" ? "{}" : input);
  return parsed.issues === undefined ? parsed.value : undefined;
}

/**
 * Adds its interpretation to each call of a response; drops the calls if none of them can be made. A model that was
 * offered no tools has none to call, and services reject such calls in the history.
 */
export function resolveTurnCalls(run: AgentRun, turn: ModelTurn, { tools, toolChoice }: TurnRequest): RecordedTurn {
  if (!turn.content.some(({ type }) => type === "tool-call")) return turn;
  if (tools === undefined || tools.size === 0) {
    return { ...turn, content: turn.content.filter(({ type }) => type === "text") };
  }
  if (toolChoice === "none") return turn;
  const content = turn.content.map((part) => (part.type === "tool-call" ? withResolution(run, tools, part) : part));
  return { ...turn, content, offered: tools.names };
}

function withResolution(run: AgentRun, tools: OfferedTools, part: TurnToolCall): ResolvedToolCall {
  // An exact match is never normalized, even if that tool was not offered.
  const name = normalizeToolName(
    part.name,
    (each) => tools.knows(each) || (each === part.name && run.engine.resolver.resolve(each) !== undefined),
  );
  const call = name === part.name ? part : { ...part, name };
  return { ...call, resolution: resolveToolCall(run, tools, call) };
}

const dressed = /^\s|\s$|^functions\./;

/**
 * The name of an offered tool without additions that some models make: surrounding blanks, and the prefix `functions.`.
 * Any other name is returned unchanged.
 */
export function normalizeToolName(name: string, isOffered: (name: string) => boolean): string {
  if (!dressed.test(name)) return name;
  const trimmed = name.trim();
  return [name, trimmed, trimmed.replace(/^functions\./, "")].find(isOffered) ?? name;
}
