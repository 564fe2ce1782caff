import { mapMembers } from "../../../base/index.ts";
import { propertiesOf } from "../../../schema/index.ts";
import { resolveCallEffect } from "../../../engine/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { notesTool } from "../notes/search-notes.ts";
import { usableTool } from "../call-tool-for-runner.ts";
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
  return { name: tool.name, writes, takesTurns: Object.hasOwn(propertiesOf(tool.input.json), "chat_history") };
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

/** Values for the variables in the parameters of a command. */
interface ParamValues {
  /** The text after the command; the prompt if there is none. */
  readonly text: string;
  /** The message without its commands. */
  readonly prompt: string;
  /** The search terms in it. */
  readonly terms: readonly string[];
}

const placeholder = /\$\{\s*(text|prompt|terms)\s*\}/gu;
const alone = /^\$\{\s*terms\s*\}$/u;
const maxDepth = 20;

/**
 * Fills parts of the prompt into parameters: `${terms}` alone becomes the list of terms, and within a text they are
 * joined.
 */
export function fillParams(value: unknown, filling: ParamValues, depth = 0): unknown {
  if (typeof value === "string") return fillText(value, filling);
  if (depth >= maxDepth) return value;
  if (typeof value !== "object" || value === null) return value;
  return mapMembers(value, (item) => fillParams(item, filling, depth + 1));
}

function fillText(text: string, { terms, ...texts }: ParamValues): unknown {
  if (alone.test(text)) return [...terms];
  return text.replaceAll(placeholder, (_whole, name: "text" | "prompt" | "terms") =>
    name === "terms" ? terms.join(" ") : texts[name],
  );
}
