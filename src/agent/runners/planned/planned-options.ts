import { isRecord } from "../../../schema/index.ts";
import { showUnsafe } from "../../../text/index.ts";
import type { AgentSpec } from "../../run/agent-spec.ts";

/** What a command of the user's own calls. */
export interface OwnCommand {
  readonly name: string;
  readonly tool: string;
  /** What is passed; `${text}`, `${question}` and `${terms}` in it stand for what was asked. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The options of an agent as the planned runner reads them. */
export interface PlannedOptions {
  readonly commands: readonly OwnCommand[];
  /** What of them cannot be used. */
  readonly problems: readonly string[];
}

const nameForm = /^\p{L}[\p{L}\p{N}_-]{0,40}$/u;
const mostCommands = 100;

/** Reads `options.commands`: names of commands with the tool that each calls, and what is passed to it. */
export function readPlannedOptions({ options }: AgentSpec): PlannedOptions {
  const given = isRecord(options) && Object.hasOwn(options, "commands") ? options["commands"] : undefined;
  if (given === undefined) return { commands: [], problems: [] };
  if (!isRecord(given)) return { commands: [], problems: ["options.commands is not a map of names to tools"] };
  const commands: OwnCommand[] = [];
  const problems: string[] = [];
  for (const [written, value] of Object.entries(given).slice(0, mostCommands)) {
    const name = written.replace(/^[@＠]/u, "").toLowerCase();
    const command = nameForm.test(name) ? readCommand(name, value) : "its name is no word";
    if (typeof command === "string") problems.push(`the command @${showUnsafe(name)} cannot be used: ${command}`);
    else commands.push(command);
  }
  return { commands, problems };
}

/** The command, or what is wrong with it. */
function readCommand(name: string, value: unknown): OwnCommand | string {
  // Its tool alone is enough where it takes nothing.
  const { tool, params = {} }: Readonly<Record<string, unknown>> =
    typeof value === "string" ? { tool: value } : isRecord(value) ? value : {};
  if (typeof tool !== "string" || tool === "") return "it names no tool";
  if (!isRecord(params)) return "its params are not a map";
  return { name, tool, params };
}
