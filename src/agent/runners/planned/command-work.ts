import type { AnyTool, ToolResult } from "../../../tool/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { cutText } from "../../../text/index.ts";
import { fact } from "../../flow/fact.ts";
import type { Flow } from "../../flow/flow.ts";
import { effectOfCall } from "../../loop/effect-of-call.ts";
import type { ConversationMessage } from "../../loop/message.ts";
import { resultPart } from "../../loop/result-part.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type Gathered, gatheredFrom, saidIn } from "../gathered.ts";
import { notesTool, searchNotes } from "../notes/search-notes.ts";
import { ownCall, usableTool } from "../own-call.ts";
import { fillParams } from "./fill-params.ts";
import type { OwnCommand } from "./planned-options.ts";
import type { FoundCommand, ReadMessage } from "./read-commands.ts";

/** What a command in a message comes to. */
export interface CommandWork {
  /** Commands of the same key do the same. */
  readonly key: string;
  /** The tool that it calls, by its own name. */
  readonly tool: string;
  /** It changes something: what the user says counts, and not what the model makes of it. */
  readonly writes: boolean;
  /** Carries it out, with the words that matter in the question. */
  run(terms: readonly string[]): Flow<Gathered>;
}

/** A message with commands, and what was said before it. */
export interface Asked {
  readonly message: ReadMessage;
  readonly history: readonly ConversationMessage[];
  readonly own: readonly OwnCommand[];
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

/** What the commands of a message come to; of one that cannot be carried out the run takes note. */
export function* commandWorks(run: AgentRun, asked: Asked): Flow<CommandWork[]> {
  const { commands } = asked.message;
  if (commands.length === 0) return [];
  const tools = yield* fact("commands", () => commands.map((command) => look(run, asked, command)));
  const works: CommandWork[] = [];
  for (const [index, command] of commands.entries()) {
    const work = workOf(run, asked, { command, tool: tools[index] ?? null });
    if (typeof work === "string") run.note(`@${command.name} was not carried out: ${work}`);
    // @web and @websearch are one.
    else if (!works.some(({ tool, key }) => tool === work.tool && key === work.key)) works.push(work);
  }
  return works;
}

/** What the question is once the commands, and what is to be remembered, are taken out of it. */
export function askedText({ commands, before, text }: ReadMessage): string {
  const rests = commands.flatMap(({ name, rest }) => (name === "memory" ? [] : [rest]));
  const asked = [before, ...rests].filter((part) => part !== "").join(" ");
  return asked === "" ? text : asked;
}

/** What is known of a tool that a command calls: plain JSON. */
interface CommandTool {
  /** Its own name. */
  readonly name: string;
  readonly writes: boolean;
  /** It reads what was said before. */
  readonly takesTurns: boolean;
}

function look(run: AgentRun, asked: Asked, command: FoundCommand): CommandTool | null {
  const tool = usableTool(run, wantedTool(asked, command.name));
  if (tool === undefined) return null;
  const effect = effectOfCall(tool, draftOf(asked, command));
  const writes = effect === "idempotent" || effect === "once";
  return { name: tool.name, writes, takesTurns: takes(tool, "chat_history") };
}

/** The arguments, as far as they are known at first. */
function draftOf({ own, message }: Asked, { name, rest }: FoundCommand): unknown {
  const question = askedText(message);
  const params = own.find((one) => one.name === name)?.params;
  if (params !== undefined) return fillParams(params, { text: rest === "" ? question : rest, question, terms: [] });
  return name === "memory" ? { content: rest === "" ? message.text : rest } : { query: question };
}

function wantedTool({ own }: Asked, command: string): string {
  return own.find(({ name }) => name === command)?.tool ?? builtIn.get(command) ?? "";
}

/** The work of a command, or why there is none. */
function workOf(
  run: AgentRun,
  asked: Asked,
  { command, tool }: { readonly command: FoundCommand; readonly tool: CommandTool | null },
): CommandWork | string {
  const { name, rest } = command;
  const own = asked.own.find((one) => one.name === name);
  const wanted = wantedTool(asked, name);
  if (tool === null) return `there is no tool ${JSON.stringify(wanted)} that this agent may use`;
  const question = askedText(asked.message);
  const work = (argsOf: (terms: readonly string[]) => unknown): CommandWork => ({
    key: own === undefined ? wanted : name,
    tool: tool.name,
    writes: tool.writes,
    *run(terms) {
      const place = { part: `command-${name}`, round: 1 };
      return gatheredFor(run, wanted, yield* ownCall(run, { place, name: "call", tool: wanted, args: argsOf(terms) }));
    },
  });
  if (own !== undefined) {
    const text = rest === "" ? question : rest;
    return work((terms) => fillParams(own.params, { text, question, terms }));
  }
  if (name === "memory") {
    const content = rest === "" ? asked.message.text : rest;
    return content === "" ? "it says nothing to remember" : work(() => ({ content }));
  }
  if (question === "") return "it says nothing to look for";
  if (name !== "vault") return work(() => webQuery(tool, question, asked.history));
  return { ...work(() => ({})), writes: false, run: (terms) => searchVault(run, question, terms) };
}

function* searchVault(run: AgentRun, text: string, terms: readonly string[]): Flow<Gathered> {
  const { result } = yield* searchNotes(run, { part: "command-vault", text, terms });
  return gatheredFor(run, notesTool, result);
}

function gatheredFor(run: AgentRun, name: string, result: ToolResult): Gathered {
  return gatheredFrom(resultPart(run, { call: { id: name, name }, result }));
}

const longestQuery = 1000;
const mostTurns = 6;
const longestTurn = 600;

/** The query with the last turns, for a search that reads them: then it knows what "it" is. */
function webQuery(tool: CommandTool, question: string, history: readonly ConversationMessage[]): unknown {
  const query = cutText(question, longestQuery, { ending: "" }).text;
  const turns = history.slice(-mostTurns).flatMap(turnOf);
  return { query, ...(turns.length > 0 && tool.takesTurns && { chat_history: turns }) };
}

function turnOf(message: ConversationMessage): { readonly role: string; readonly content: string }[] {
  const { role } = message;
  if (role !== "user" && role !== "assistant") return [];
  const content = cutText(saidIn(message), longestTurn, { ending: "" }).text;
  return content === "" ? [] : [{ role, content }];
}

function takes(tool: AnyTool, parameter: string): boolean {
  const { properties } = tool.input.json as { readonly properties?: unknown };
  return isRecord(properties) && Object.hasOwn(properties, parameter);
}
