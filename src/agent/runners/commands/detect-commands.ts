import { recordValue, type RunProgram } from "../../../run/index.ts";
import type { AgentNoticeParams } from "../../events/agent-notice.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type CommandTool, commandNames, inspectCommandTool } from "./command-tool.ts";
import { type CustomCommand, readCustomCommands } from "./custom-commands.ts";
import {
  type CommandUse,
  type ParsedMessage,
  type CommandWithText,
  findCommands,
  parseMessage,
} from "./read-commands.ts";

/** A command to execute. */
export interface DetectedCommand extends CommandWithText {
  /** Number of this use of the command, from 1. */
  readonly nth: number;
  /** Null if the run has no tool for it. */
  readonly tool: CommandTool | null;
}

/** A message with its effective commands. */
export interface DetectedMessage extends ParsedMessage {
  readonly commands: readonly DetectedCommand[];
}

/** Maximum number of commands to execute. */
const maxCommands = 20;

/**
 * Determines which commands a message gives. A command that only reads counts anywhere in the text; one that changes
 * something counts only at the start of a line, and is text elsewhere, as in "What does @memory do?". Commands in
 * pasted text are ignored.
 */
export function* detectCommands(
  run: AgentRun,
  text: string,
  own: readonly CustomCommand[],
): RunProgram<DetectedMessage> {
  const { uses, mistyped, pasted } = findCommands(text, commandNames(own));
  for (const { name, near } of mistyped)
    run.notice({ code: "command_unknown", params: { command: name, suggestion: near } });
  for (const name of pasted) noticeIgnored(run, [name], "pasted");
  if (uses.length === 0) return withoutCommands(text);
  const settled: SettledCommands = yield* recordValue("commands", () => settle(run, { text, uses, own }));
  const { chosen = settled.input ?? settled.given ?? [], tools } = settled;
  noticeOmittedCommands(run, uses, new Set(chosen));
  const message = parseMessage(text, usesAt(uses, chosen));
  const counts = new Map<string, number>();
  const commands = message.commands.slice(0, tools.length).map((command, index) => {
    const nth = (counts.get(command.name) ?? 0) + 1;
    counts.set(command.name, nth);
    return { ...command, nth, tool: tools[index] ?? null };
  });
  return { ...message, commands };
}

/** A message without commands. */
export function withoutCommands(text: string): DetectedMessage {
  return { ...parseMessage(text, []), commands: [] };
}

/** Which commands count, and the tools of those to execute: recorded as plain JSON. */
interface SettledCommands {
  /** Indexes of the uses. Runs of earlier versions recorded them as `input` or `given`. */
  readonly chosen?: readonly number[];
  readonly input?: readonly number[];
  readonly given?: readonly number[];
  readonly tools: readonly (CommandTool | null)[];
}

/**
 * The text of a command depends on which other commands are text, and the effect of its call may depend on its text.
 */
function settle(
  run: AgentRun,
  {
    text,
    uses,
    own,
  }: { readonly text: string; readonly uses: readonly CommandUse[]; readonly own: readonly CustomCommand[] },
): SettledCommands {
  let chosen = [...uses.keys()];
  for (;;) {
    const message = parseMessage(text, usesAt(uses, chosen));
    const count = chosen.filter((index) => index < maxCommands).length;
    const tools = message.commands.slice(0, count).map((command) => inspectCommandTool(run, own, { message, command }));
    const counting = chosen.filter((index, order) => uses[index]?.isLeading === true || tools[order]?.writes !== true);
    if (counting.length === chosen.length) return { chosen, tools };
    chosen = counting;
  }
}

function usesAt(uses: readonly CommandUse[], indexes: readonly number[]): CommandUse[] {
  return indexes.flatMap((index) => uses[index] ?? []);
}

function noticeOmittedCommands(run: AgentRun, uses: readonly CommandUse[], chosen: ReadonlySet<number>): void {
  const omitted = new Set(uses.flatMap(({ name }, index) => (chosen.has(index) ? [] : [name])));
  for (const name of omitted) noticeIgnored(run, [name], "not_leading");
  const more = uses.length - maxCommands;
  if (more > 0) run.notice({ code: "commands_limited", params: { max: maxCommands, omitted: more } });
}

/** For messages whose commands are not executed: notifies the user of the reason. */
export function noticeIgnoredCommands(run: AgentRun, text: string, reason: IgnoreReason = "other_runner"): void {
  const { commands: own } = readCustomCommands(run.spec.options?.["commands"]);
  const names = new Set(findCommands(text, commandNames(own)).uses.map(({ name }) => name));
  if (names.size > 0) noticeIgnored(run, [...names], reason);
}

type IgnoreReason = AgentNoticeParams["commands_ignored"]["reason"];

function noticeIgnored(run: AgentRun, commands: readonly string[], reason: IgnoreReason): void {
  run.notice({ code: "commands_ignored", params: { commands, reason } });
}
