import { isMap } from "../schema/index.ts";
import type { YamlPath } from "../text/index.ts";

/** A command in `agent.options.commands`, as the runner `planned` reads it. */
export interface OwnCommand {
  /** As it is written. */
  readonly name: string;
  /** The tool that it calls, and where that is written; undefined where it names none. */
  readonly tool?: { readonly name: string; readonly path: YamlPath };
  /** Why it cannot be used. */
  readonly fault?: { readonly message: string; readonly hint: string };
}

/** Where commands of one's own are written. */
export const commandsPath: readonly string[] = ["agent", "options", "commands"];

const nameForm = /^[@＠]?\p{L}[\p{L}\p{N}_-]{0,40}$/u;

/** Reads the commands of one's own; none where they are no map. */
export function ownCommands(commands: unknown): OwnCommand[] {
  return isMap(commands) ? Object.entries(commands).map(([name, value]) => readCommand(name, value)) : [];
}

function readCommand(name: string, value: unknown): OwnCommand {
  const path = [...commandsPath, name];
  // Its tool alone is enough where it takes nothing.
  const { tool, params = {} } = isMap(value) ? value : { tool: value };
  const called = typeof tool === "string" && tool !== "" ? tool : undefined;
  const fault = faultOf(name, { called, params });
  return {
    name,
    ...(called !== undefined && { tool: { name: called, path: isMap(value) ? [...path, "tool"] : path } }),
    ...(fault !== undefined && { fault }),
  };
}

interface Read {
  readonly called: string | undefined;
  readonly params: unknown;
}

function faultOf(name: string, { called, params }: Read): OwnCommand["fault"] {
  const fault = (why: string, hint: string): OwnCommand["fault"] => ({
    message: `the command ${JSON.stringify(name)} cannot be used: ${why}`,
    hint,
  });
  if (!nameForm.test(name)) {
    return fault("its name is no word", "write letters, digits, - and _, a letter first, and no blanks");
  }
  if (called === undefined) return fault("it names no tool", `write ${name}: { tool: …, params: { … } }`);
  return isMap(params) ? undefined : fault("its params are not a map", "write params: { … }, with what the tool takes");
}
