import { join } from "node:path";
import { findWorkspace } from "../../app/index.ts";
import { forgetLogins } from "../../hub/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { commandLine } from "../invocation.ts";

/** `windlass mcp logout`: for servers that are in no file any more, too. */
export const logOut: RunCommand = async (invocation) => {
  const [name = ""] = invocation.words;
  const { terminal } = invocation;
  const had = forgetLogins(join(await findWorkspace("."), ".windlass"), name);
  if (had)
    terminal.tell(`The login to ${name} is forgotten; ${commandLine(invocation, "mcp login", name)} logs in again.`);
  else terminal.tell(`There was no login to ${JSON.stringify(name)}.`);
};
