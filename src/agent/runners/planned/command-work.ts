import type { ToolResult } from "../../../tool/index.ts";
import { cutText } from "../../../text/index.ts";
import type { Flow } from "../../flow/flow.ts";
import type { ConversationMessage } from "../../message.ts";
import { resultPart } from "../../loop/result-part.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type CommandTool, askedText, wantedTool } from "../commands/command-tool.ts";
import { fillParams } from "../commands/fill-params.ts";
import type { MeantCommand, MeantMessage } from "../commands/meant-commands.ts";
import type { OwnCommand } from "../commands/own-commands.ts";
import { type Gathered, gatheredFrom, saidIn } from "../gathered.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { notesTool, searchNotes } from "../notes/search-notes.ts";
import { ownCall } from "../own-call.ts";

/** What a command in a message comes to. */
export interface CommandWork {
  /** Those that look up the same have the same. */
  readonly key: string;
  /** The tool that it calls, by its own name. */
  readonly tool: string;
  /** It changes something: what the user says counts, and not what the model makes of it. */
  readonly writes: boolean;
  /** It looks up what the whole question is about: a model that calls the tool itself says that better. */
  readonly yields: boolean;
  /** Carries it out, with the words that matter in the question. */
  run(terms: readonly string[]): Flow<Gathered>;
}

/** A message with commands, and what was said before it. */
export interface Asked {
  readonly message: MeantMessage;
  readonly history: readonly ConversationMessage[];
  readonly own: readonly OwnCommand[];
}

/** What the commands of a message come to, in their order; of one that cannot be carried out the run takes note. */
export function commandWorks(run: AgentRun, asked: Asked): CommandWork[] {
  const works: CommandWork[] = [];
  for (const command of asked.message.commands) {
    const work = workOf(run, asked, command);
    if (typeof work === "string") run.note(`@${command.name} was not carried out: ${work}`);
    else if (work.writes || !works.some(({ key }) => key === work.key)) works.push(work);
  }
  return works;
}

/** The work of a command, or why there is none. */
function workOf(run: AgentRun, asked: Asked, command: MeantCommand): CommandWork | string {
  const { name, rest, nth, tool } = command;
  const own = asked.own.find((one) => one.name === name);
  const wanted = wantedTool(asked.own, name);
  if (tool === null) return `there is no tool ${JSON.stringify(wanted)} that this agent may use`;
  // No name begins with a digit.
  const part = `command-${nth === 1 ? "" : `${nth}-`}${name}`;
  const call = function* (args: unknown): Flow<Gathered> {
    const place = { part, round: 1 };
    const result = yield* ownCall(run, { place, name: "call", tool: wanted, args, decidedBy: "person" });
    return gatheredFor(run, wanted, result);
  };
  const { writes } = tool;
  if (own !== undefined) {
    const question = askedText(asked.message);
    const text = rest === "" ? question : rest;
    const argsOf = (terms: readonly string[]): unknown => fillParams(own.params, { text, question, terms });
    const key = JSON.stringify([name, text]);
    return { key, tool: tool.name, writes, yields: false, run: (terms) => call(argsOf(terms)) };
  }
  if (name === "memory") {
    const content = rest === "" ? asked.message.text : rest;
    if (content === "") return "it says nothing to remember";
    return {
      key: JSON.stringify([wanted, content]),
      tool: tool.name,
      writes,
      yields: false,
      run: () => call({ content }),
    };
  }
  const { text, isWhole } = lookedFor(asked, command);
  if (text === "") return "it says nothing to look for";
  const about = { key: JSON.stringify([wanted, text]), tool: tool.name, yields: isWhole };
  if (name !== "vault") return { ...about, writes, run: () => call(webQuery(tool, text, asked.history)) };
  const terms = isWhole ? undefined : salientTerms(text);
  return { ...about, writes: false, run: (all) => searchVault(run, { part, text, terms: terms ?? all }) };
}

/** What a search is for: the whole question, or what is said to it where there are several such searches. */
function lookedFor({ message, own }: Asked, { name, rest }: MeantCommand): { text: string; isWhole: boolean } {
  const wanted = wantedTool(own, name);
  const told = message.commands.filter((one) => one.rest !== "" && wantedTool(own, one.name) === wanted);
  const isWhole = rest === "" || told.length === 1;
  return { text: isWhole ? askedText(message) : rest, isWhole };
}

interface VaultSearch {
  readonly part: string;
  readonly text: string;
  readonly terms: readonly string[];
}

function* searchVault(run: AgentRun, search: VaultSearch): Flow<Gathered> {
  const terms = [...new Set([...search.terms, ...salientTerms(search.text)])];
  const { result, time, anyTime } = yield* searchNotes(run, { ...search, terms, decidedBy: "person" });
  const found = gatheredFor(run, notesTool, result);
  if (!anyTime) return found;
  return { ...found, text: `No such note is of the time "${time ?? ""}"; these are of other times.\n${found.text}` };
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
