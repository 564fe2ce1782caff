import { isRecord } from "../../../schema/index.ts";
import type { AgentNotice, AgentNoticeParams } from "../../events/agent-notice.ts";
import { agentNoticeText } from "../../texts/agent-texts.ts";

/** Call of a custom command. */
export interface CustomCommand {
  /** Key in the options. */
  readonly key: string;
  /** Name of the command. */
  readonly name: string;
  readonly tool: string;
  /** Arguments of the tool; `${text}`, `${prompt}` and `${terms}` are replaced with parts of the prompt. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Reason why a command cannot be used. */
export interface CommandFault {
  /** As it is written among the options. */
  readonly key: string;
  readonly notice: AgentNotice;
  /** The English text of the notice. */
  readonly message: string;
  /** Correct form to use instead. */
  readonly hint: string;
}

/** The custom commands of the user. */
export interface CustomCommands {
  readonly commands: readonly CustomCommand[];
  readonly faults: readonly CommandFault[];
}

const nameForm = /^\p{L}[\p{L}\p{N}_-]{0,40}$/u;
const maxCommands = 100;

/**
 * Reads `options.commands`: names of commands with the tool that each calls, and its arguments. Empty if it is not a
 * map. This also checks the settings of a workspace, without loading the runners.
 */
export function readCustomCommands(chosen: unknown): CustomCommands {
  const entries = isRecord(chosen) ? Object.entries(chosen) : [];
  const commands: CustomCommand[] = [];
  const faults: CommandFault[] = [];
  for (const [key, value] of entries.slice(0, maxCommands)) {
    const read = readCommand(key, value);
    if ("message" in read) faults.push(read);
    else commands.push(read);
  }
  const [first] = entries[maxCommands] ?? [];
  if (first !== undefined) {
    const params = { max: maxCommands, omitted: entries.length - maxCommands };
    faults.push(toFault(first, { code: "custom_commands_limited", params }, "remove unused commands"));
  }
  return { commands, faults };
}

function toFault(key: string, notice: AgentNotice, hint: string): CommandFault {
  return { key, notice, message: agentNoticeText(notice), hint };
}

function readCommand(key: string, value: unknown): CustomCommand | CommandFault {
  const fault = (reason: AgentNoticeParams["custom_command_unusable"]["reason"], hint: string): CommandFault =>
    toFault(key, { code: "custom_command_unusable", params: { command: key, reason } }, hint);
  const name = key.replace(/^[@＠]/u, "").toLowerCase();
  if (!nameForm.test(name)) {
    return fault("name", "write letters, digits, - and _, a letter first, and no blanks");
  }
  // The tool name alone suffices for a tool without parameters.
  const { tool, params = {} }: Readonly<Record<string, unknown>> = isRecord(value) ? value : { tool: value };
  if (typeof tool !== "string" || tool === "") {
    return fault("tool", `write ${key}: { tool: …, params: { … } }`);
  }
  if (!isRecord(params)) return fault("params", "write params: { … }, with the parameters of the tool");
  return { key, name, tool, params };
}
