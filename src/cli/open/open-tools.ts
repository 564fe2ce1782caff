import type { Workspace } from "../../app/index.ts";
import { brokenFileMessage } from "../../engine/index.ts";
import { suggest } from "../../text/index.ts";
import type { Registration } from "../../tool/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { openHere } from "./open-here.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../program/usage-error.ts";

/** Opens the workspace here to inspect its tools, runs `work`, and closes it. Nothing is written. */
export async function withTools<T>(terminal: Terminal, work: (workspace: Workspace) => Promise<T> | T): Promise<T> {
  const { workspace, close } = await openHere(terminal);
  try {
    return await work(workspace);
  } finally {
    await close();
  }
}

/** The tool with this name or alias; the error for an unknown one suggests similar names. */
export function requireTool({ hub }: Workspace, name: string, invocation: Invocation): Registration {
  const found = hub.resolve(name);
  if (found !== undefined) return found;
  const error = hub.fileError?.(name);
  if (error !== undefined) {
    throw new UsageError(brokenFileMessage(name, error.file), `for details: ${commandLine(invocation, "validate")}`);
  }
  const why = hub.whyMissing?.(name);
  // If the reason is known, a tool of the same name on a server is not a useful suggestion.
  const near = suggest(
    name,
    [...hub.names()].filter((each) => why === undefined || !each.endsWith(`/${name}`)),
  );
  const hint = near === undefined ? `list tools with: ${commandLine(invocation, "tools")}` : `did you mean ${near}?`;
  throw new UsageError(`there is no tool named ${JSON.stringify(name)}`, hint, ...(why === undefined ? [] : [why]));
}

/** Warns that a list may be incomplete. */
export function reportBrokenFiles(workspace: Workspace, invocation: Invocation): void {
  const files = new Set(
    workspace
      .problems()
      .filter(({ severity }) => severity === "error")
      .map(({ file }) => file),
  );
  if (files.size > 0) reportUnusableFiles([...files], invocation);
}

/** Reports the files that could not be loaded. */
export function reportUnusableFiles(files: readonly string[], invocation: Invocation): void {
  const { terminal } = invocation;
  const names = files.slice(0, 3).map(toOneLine).join(", ") + (files.length > 3 ? ", …" : "");
  const message = `${names} could not be loaded; for details: ${commandLine(invocation, "validate")}`;
  logWrapped(message, terminal, { lead: `${terminal.tint("yellow", "warning:")} ` });
}
