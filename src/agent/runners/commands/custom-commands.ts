import { isRecord } from "../../../schema/index.ts";
import { quoteText } from "../../../text/index.ts";

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
    const message = `only the first ${maxCommands} commands can be used: ${entries.length - maxCommands} more were left out`;
    faults.push({ key: first, message, hint: "remove unused commands" });
  }
  return { commands, faults };
}

function readCommand(key: string, value: unknown): CustomCommand | CommandFault {
  const fault = (why: string, hint: string): CommandFault => ({
    key,
    message: `the command ${quoteText(key)} cannot be used: ${why}`,
    hint,
  });
  const name = key.replace(/^[@＠]/u, "").toLowerCase();
  if (!nameForm.test(name)) {
    return fault("its name is not a valid word", "write letters, digits, - and _, a letter first, and no blanks");
  }
  // The tool name alone suffices for a tool without parameters.
  const { tool, params = {} }: Readonly<Record<string, unknown>> = isRecord(value) ? value : { tool: value };
  if (typeof tool !== "string" || tool === "") {
    return fault("it names no tool", `write ${key}: { tool: …, params: { … } }`);
  }
  if (!isRecord(params))
    return fault("its params are not a map", "write params: { … }, with the parameters of the tool");
  return { key, name, tool, params };
}
