import type { ToolResult } from "../../../tool/index.ts";
import { cutText } from "../../../text/index.ts";
import type { RunProgram } from "../../../run/index.ts";
import type { AgentNoticeParams } from "../../events/agent-notice.ts";
import type { ConversationMessage } from "../../events/message.ts";
import { toToolResultPart } from "../../loop/tool-result-part.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type CommandTool, promptWithoutCommands, toolForCommand, fillParams } from "../commands/command-tool.ts";
import type { DetectedCommand, DetectedMessage } from "../commands/detect-commands.ts";
import type { CustomCommand } from "../commands/custom-commands.ts";
import { type GatheredResult, toGatheredResult, messageTextOf } from "../gathered-results.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { notesTool, searchNotes } from "../notes/search-notes.ts";
import { callToolForRunner } from "../call-tool-for-runner.ts";

/** Work of a command in a message. */
export interface CommandWork {
  /** Commands with the same lookup have the same key. */
  readonly key: string;
  /** The tool that it calls, by its own name. */
  readonly tool: string;
  /** It changes something: it is executed as the user wrote it, not as the model plans it. */
  readonly writes: boolean;
  /** It looks up the subject of the whole prompt: a call of the same tool by the model is more specific. */
  readonly yields: boolean;
  /** Executes it with the search terms of the prompt. */
  run(terms: readonly string[]): RunProgram<GatheredResult>;
}

type NotExecuted = AgentNoticeParams["command_not_executed"];

/** A message with commands, and the conversation history before it. */
export interface CommandPrompt {
  readonly message: DetectedMessage;
  readonly history: readonly ConversationMessage[];
  readonly customCommands: readonly CustomCommand[];
}

/** The work of the commands of a message, in their order; a command that cannot be executed adds a notice. */
export function commandWorks(run: AgentRun, prompt: CommandPrompt): CommandWork[] {
  const works: CommandWork[] = [];
  for (const command of prompt.message.commands) {
    const work = workOf(run, prompt, command);
    if ("reason" in work) run.notice({ code: "command_not_executed", params: { command: command.name, ...work } });
    else if (work.writes || !works.some(({ key }) => key === work.key)) works.push(work);
  }
  return works;
}

/** The work of a command, or the reason why there is none. */
function workOf(
  run: AgentRun,
  prompt: CommandPrompt,
  command: DetectedCommand,
): CommandWork | Omit<NotExecuted, "command"> {
  const { name, rest, nth, tool } = command;
  const own = prompt.customCommands.find((one) => one.name === name);
  const toolName = toolForCommand(prompt.customCommands, name);
  if (tool === null) return { reason: "no_tool", tool: toolName };
  // Command names never begin with a digit, so the parts are unambiguous.
  const part = `command-${nth === 1 ? "" : `${nth}-`}${name}`;
  const call = function* (args: unknown): RunProgram<GatheredResult> {
    const turnRef = { part, round: 1 };
    const result = yield* callToolForRunner(run, {
      turnRef,
      name: "call",
      tool: toolName,
      args,
      initiator: "person",
    });
    return gatheredFor(run, toolName, result);
  };
  const { writes } = tool;
  if (own !== undefined) {
    const userPrompt = promptWithoutCommands(prompt.message);
    const text = rest === "" ? userPrompt : rest;
    const argsOf = (terms: readonly string[]): unknown => fillParams(own.params, { text, prompt: userPrompt, terms });
    const key = JSON.stringify([name, text]);
    return { key, tool: tool.name, writes, yields: false, run: (terms) => call(argsOf(terms)) };
  }
  if (name === "memory") {
    const content = rest === "" ? prompt.message.text : rest;
    if (content === "") return { reason: "no_content" };
    return {
      key: JSON.stringify([toolName, content]),
      tool: tool.name,
      writes,
      yields: false,
      run: () => call({ content }),
    };
  }
  const { text, isWhole } = lookedFor(prompt, command);
  if (text === "") return { reason: "no_query" };
  const about = { key: JSON.stringify([toolName, text]), tool: tool.name, yields: isWhole };
  if (name !== "vault") return { ...about, writes, run: () => call(webQuery(tool, text, prompt.history)) };
  const terms = isWhole ? undefined : salientTerms(text);
  return { ...about, writes: false, run: (all) => searchVault(run, { part, text, terms: terms ?? all }) };
}

/** Text to search for: the whole prompt, or the command's own text if there are several such searches. */
function lookedFor(
  { message, customCommands }: CommandPrompt,
  { name, rest }: DetectedCommand,
): { text: string; isWhole: boolean } {
  const toolName = toolForCommand(customCommands, name);
  const searches = message.commands.filter(
    (one) => one.rest !== "" && toolForCommand(customCommands, one.name) === toolName,
  );
  const isWhole = rest === "" || searches.length === 1;
  return { text: isWhole ? promptWithoutCommands(message) : rest, isWhole };
}

function* searchVault(
  run: AgentRun,
  search: { readonly part: string; readonly text: string; readonly terms: readonly string[] },
): RunProgram<GatheredResult> {
  const terms = [...new Set([...search.terms, ...salientTerms(search.text)])];
  const { result, time, anyTime } = yield* searchNotes(run, { ...search, terms, initiator: "person" });
  const found = gatheredFor(run, notesTool, result);
  if (!anyTime) return found;
  return { ...found, text: `No such note is of the time "${time ?? ""}"; these are of other times.\n${found.text}` };
}

function gatheredFor(run: AgentRun, name: string, result: ToolResult): GatheredResult {
  return toGatheredResult(toToolResultPart(run, { call: { id: name, name }, result }));
}

const maxQueryLength = 1000;
const maxTurns = 6;
const maxTurnLength = 600;

/** The query with the last turns, for a search tool that accepts them to resolve references. */
function webQuery(tool: CommandTool, userPrompt: string, history: readonly ConversationMessage[]): unknown {
  const query = cutText(userPrompt, maxQueryLength, { ending: "" }).text;
  const turns = history.slice(-maxTurns).flatMap(turnOf);
  return { query, ...(turns.length > 0 && tool.takesTurns && { chat_history: turns }) };
}

function turnOf(message: ConversationMessage): { readonly role: string; readonly content: string }[] {
  const { role } = message;
  if (role !== "user" && role !== "assistant") return [];
  const content = cutText(messageTextOf(message), maxTurnLength, { ending: "" }).text;
  return content === "" ? [] : [{ role, content }];
}
