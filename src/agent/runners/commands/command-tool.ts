import { isRecord } from "../../../schema/index.ts";
import type { AnyTool } from "../../../tool/index.ts";
import { resolveCallEffect } from "../../loop/resolve-call-effect.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { notesTool } from "../notes/search-notes.ts";
import { usableTool } from "../call-tool-for-runner.ts";
import { fillParams } from "./fill-params.ts";
import type { CustomCommand } from "./custom-commands.ts";
import type { ParsedMessage, CommandWithText } from "./read-commands.ts";

/** Recorded facts about a tool that a command calls: plain JSON. */
export interface CommandTool {
  /** The tool's own name. */
  readonly name: string;
  /** The call changes something. */
  readonly writes: boolean;
  /** It reads the conversation history. */
  readonly takesTurns: boolean;
}

const builtIn: ReadonlyMap<string, string> = new Map([
  ["vault", notesTool],
  ["websearch", "web_search"],
  ["web", "web_search"],
  ["memory", "memory_store"],
]);

/** The names of all commands. Custom commands override built-in ones of the same name. */
export function commandNames(own: readonly CustomCommand[]): string[] {
  return [...new Set([...own.map(({ name }) => name), ...builtIn.keys()])];
}

/** The tool that a command calls. */
export function toolForCommand(own: readonly CustomCommand[], command: string): string {
  return own.find(({ name }) => name === command)?.tool ?? builtIn.get(command) ?? "";
}

/** The prompt without its commands, and without text to be remembered. */
export function promptWithoutCommands({ commands, before, text }: ParsedMessage): string {
  const rests = commands.flatMap(({ name, rest }) => (name === "memory" ? [] : [rest]));
  const prompt = [before, ...rests].filter((part) => part !== "").join(" ");
  return prompt === "" ? text : prompt;
}

/** Inspects the tool of a command as it is used in a message; null if the run has none for it. */
export function inspectCommandTool(
  run: AgentRun,
  own: readonly CustomCommand[],
  { message, command }: { readonly message: ParsedMessage; readonly command: CommandWithText },
): CommandTool | null {
  const tool = usableTool(run, toolForCommand(own, command.name));
  if (tool === undefined) return null;
  const params = own.find(({ name }) => name === command.name)?.params;
  const effect = resolveCallEffect(tool, draftOf(message, command, params));
  const writes = effect === "idempotent" || effect === "once";
  return { name: tool.name, writes, takesTurns: takes(tool, "chat_history") };
}

/** The arguments, as far as they are known before the plan. */
function draftOf(
  message: ParsedMessage,
  { name, rest }: CommandWithText,
  params: CustomCommand["params"] | undefined,
): unknown {
  const userPrompt = promptWithoutCommands(message);
  if (params !== undefined)
    return fillParams(params, { text: rest === "" ? userPrompt : rest, prompt: userPrompt, terms: [] });
  return name === "memory" ? { content: rest === "" ? message.text : rest } : { query: userPrompt };
}

function takes(tool: AnyTool, parameter: string): boolean {
  const { properties } = tool.input.json as { readonly properties?: unknown };
  return isRecord(properties) && Object.hasOwn(properties, parameter);
}
