import { isRecord } from "../../../schema/index.ts";
import type { AnyTool } from "../../../tool/index.ts";
import { effectOfCall } from "../../loop/effect-of-call.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { notesTool } from "../notes/search-notes.ts";
import { usableTool } from "../own-call.ts";
import { fillParams } from "./fill-params.ts";
import type { OwnCommand } from "./own-commands.ts";
import type { ReadMessage, ToldCommand } from "./read-commands.ts";

/** What is known of a tool that a command calls: plain JSON. */
export interface CommandTool {
  /** Its own name. */
  readonly name: string;
  /** The call changes something. */
  readonly writes: boolean;
  /** It reads what was said before. */
  readonly takesTurns: boolean;
}

const builtIn: ReadonlyMap<string, string> = new Map([
  ["vault", notesTool],
  ["websearch", "web_search"],
  ["web", "web_search"],
  ["memory", "memory_store"],
]);

/** The names of all commands. Those of the user stand in for others of the same name. */
export function commandNames(own: readonly OwnCommand[]): string[] {
  return [...new Set([...own.map(({ name }) => name), ...builtIn.keys()])];
}

/** The tool that a command wants. */
export function wantedTool(own: readonly OwnCommand[], command: string): string {
  return own.find(({ name }) => name === command)?.tool ?? builtIn.get(command) ?? "";
}

/** What the question is once the commands, and what is to be remembered, are taken out of it. */
export function askedText({ commands, before, text }: ReadMessage): string {
  const rests = commands.flatMap(({ name, rest }) => (name === "memory" ? [] : [rest]));
  const asked = [before, ...rests].filter((part) => part !== "").join(" ");
  return asked === "" ? text : asked;
}

/** A look at the tool of a command as it is used in a message; null where the run has none for it. */
export function lookAtTool(
  run: AgentRun,
  own: readonly OwnCommand[],
  { message, command }: { readonly message: ReadMessage; readonly command: ToldCommand },
): CommandTool | null {
  const tool = usableTool(run, wantedTool(own, command.name));
  if (tool === undefined) return null;
  const params = own.find(({ name }) => name === command.name)?.params;
  const effect = effectOfCall(tool, draftOf(message, command, params));
  const writes = effect === "idempotent" || effect === "once";
  return { name: tool.name, writes, takesTurns: takes(tool, "chat_history") };
}

/** The arguments, as far as they are known at first. */
function draftOf(message: ReadMessage, { name, rest }: ToldCommand, params: OwnCommand["params"] | undefined): unknown {
  const question = askedText(message);
  if (params !== undefined) return fillParams(params, { text: rest === "" ? question : rest, question, terms: [] });
  return name === "memory" ? { content: rest === "" ? message.text : rest } : { query: question };
}

function takes(tool: AnyTool, parameter: string): boolean {
  const { properties } = tool.input.json as { readonly properties?: unknown };
  return isRecord(properties) && Object.hasOwn(properties, parameter);
}
