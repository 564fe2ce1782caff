import { isRecord } from "../../../schema/index.ts";
import { quoteText } from "../../../text/index.ts";

/** What a command of the user's own calls. */
export interface OwnCommand {
  /** As it is written among the options. */
  readonly key: string;
  /** As it is called. */
  readonly name: string;
  readonly tool: string;
  /** What is passed; `${text}`, `${question}` and `${terms}` in it stand for what was asked. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Why a command cannot be used. */
export interface CommandFault {
  /** As it is written among the options. */
  readonly key: string;
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
}

/** The commands of the user's own. */
export interface OwnCommands {
  readonly commands: readonly OwnCommand[];
  readonly faults: readonly CommandFault[];
}

const nameForm = /^\p{L}[\p{L}\p{N}_-]{0,40}$/u;
const mostCommands = 100;

/**
 * Reads `options.commands`: names of commands with the tool that each calls, and what is passed to it. None where that is
 * no map. The settings of a workspace are checked by this, too, without loading the runners.
 */
export function readOwnCommands(given: unknown): OwnCommands {
  const entries = isRecord(given) ? Object.entries(given) : [];
  const commands: OwnCommand[] = [];
  const faults: CommandFault[] = [];
  for (const [key, value] of entries.slice(0, mostCommands)) {
    const read = readCommand(key, value);
    if ("message" in read) faults.push(read);
    else commands.push(read);
  }
  const [first] = entries[mostCommands] ?? [];
  if (first !== undefined) {
    const message = `only the first ${mostCommands} commands can be used: ${entries.length - mostCommands} more were left out`;
    faults.push({ key: first, message, hint: "take out those that nobody uses" });
  }
  return { commands, faults };
}

function readCommand(key: string, value: unknown): OwnCommand | CommandFault {
  const fault = (why: string, hint: string): CommandFault => ({
    key,
    message: `the command ${quoteText(key)} cannot be used: ${why}`,
    hint,
  });
  const name = key.replace(/^[@＠]/u, "").toLowerCase();
  if (!nameForm.test(name)) {
    return fault("its name is no word", "write letters, digits, - and _, a letter first, and no blanks");
  }
  // Its tool alone is enough where it takes nothing.
  const { tool, params = {} }: Readonly<Record<string, unknown>> = isRecord(value) ? value : { tool: value };
  if (typeof tool !== "string" || tool === "") {
    return fault("it names no tool", `write ${key}: { tool: …, params: { … } }`);
  }
  if (!isRecord(params)) return fault("its params are not a map", "write params: { … }, with what the tool takes");
  return { key, name, tool, params };
}
