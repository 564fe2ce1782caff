import { type OpenedMcp, openMcp, readWorkspace } from "../../app/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import { ToolRegistry } from "../../tool/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { trustOptions } from "./open-here.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The MCP servers of the current workspace, without the rest of it. */
export interface OpenedMcpServers extends OpenedMcp {
  readonly dir: string;
  /** The tools of the servers. */
  readonly registry: ToolRegistry;
  /** Redacts secrets in messages of servers. */
  readonly redactor: Redactor;
}

/** Options for opening the servers. */
export interface OpenMcpServersOptions {
  readonly terminal: Terminal;
  /** Report messages of servers while connecting. */
  readonly verbose?: boolean;
}

/** Opens the MCP servers of the current workspace, runs `work`, and stops them. */
export async function withMcp<T>(
  { terminal, verbose = false }: OpenMcpServersOptions,
  work: (here: OpenedMcpServers) => Promise<T>,
): Promise<T> {
  const opening = await readWorkspace(".", { ...trustOptions(terminal), reload: false });
  const { redactor, http, trust } = opening;
  const log = (message: string): void => {
    if (verbose) terminal.log(terminal.tint("dim", toOneLine(redactor.line(message))));
  };
  const onSecrets = (values: readonly string[]): void => redactor.add(values);
  const registry = new ToolRegistry();
  const opened = await openMcp({ ...opening, log, onSecrets, registry, refuses: trust.refusesServer });
  try {
    await opened.source.load();
    return await work({ ...opened, dir: opening.dir, registry, redactor });
  } finally {
    await opened.source.close();
    await http.close();
  }
}
