import { type Workspace, openWorkspace } from "../app/index.ts";
import { suggest } from "../text/index.ts";
import type { Registration } from "../tool/index.ts";
import { oneLine } from "./format-table.ts";
import { type Invocation, commandLine } from "./invocation.ts";
import { tellSlowLoad } from "./tell-slow-load.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Opens the workspace here to look at its tools, runs `work`, and closes it. Nothing is written. */
export async function withTools<T>(terminal: Terminal, work: (workspace: Workspace) => Promise<T> | T): Promise<T> {
  const workspace = await openWorkspace(".", { store: "memory", reload: false, onSlowLoad: tellSlowLoad(terminal) });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}

/** The tool of this name or alias; a person who mistyped it is told what it could be. */
export function findTool({ hub }: Workspace, name: string, invocation: Invocation): Registration {
  const found = hub.resolve(name);
  if (found !== undefined) return found;
  const why = hub.whyMissing?.(name);
  // Where it is known why it is missing, one of the same name that a server offers is not what was meant.
  const near = suggest(
    name,
    [...hub.names()].filter((each) => why === undefined || !each.endsWith(`/${name}`)),
  );
  const hint = near === undefined ? `${commandLine(invocation, "tools")} lists the tools` : `did you mean ${near}?`;
  throw new UsageError(`there is no tool named ${JSON.stringify(name)}`, hint, ...(why === undefined ? [] : [why]));
}

/** Tells beside a list that it may not be whole. */
export function tellBroken(workspace: Workspace, invocation: Invocation): void {
  const files = new Set(
    workspace
      .problems()
      .filter(({ severity }) => severity === "error")
      .map(({ file }) => file),
  );
  if (files.size > 0) tellUnused([...files], invocation);
}

/** Tells which files could not be used. */
export function tellUnused(files: readonly string[], invocation: Invocation): void {
  const { terminal } = invocation;
  const names = files.slice(0, 3).map(oneLine).join(", ") + (files.length > 3 ? ", …" : "");
  const what = `${names} could not be used; ${commandLine(invocation, "validate")} shows why`;
  tellWrapped(what, terminal, { lead: `${terminal.tint("yellow", "warning:")} ` });
}
