import {
  type OpenedMcp,
  WorkspaceError,
  findWorkspace,
  openMcp,
  openTrust,
  readSecrets,
  readSettings,
} from "../../app/index.ts";
import { createHttpClient } from "../../net/index.ts";
import { type Redactor, createRedactor } from "../../secrets/index.ts";
import { hasErrors } from "../../text/index.ts";
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
  options: OpenMcpServersOptions,
  work: (here: OpenedMcpServers) => Promise<T>,
): Promise<T> {
  const { terminal, verbose = false } = options;
  const dir = await findWorkspace(".");
  const settings = await readSettings(dir);
  if (hasErrors(settings.problems)) throw new WorkspaceError(settings.problems);
  const { env } = process;
  const trust = await openTrust({ dir, settings, env }, trustOptions(terminal));
  const { config } = trust;
  const found = await readSecrets(config.secrets, dir, env);
  const secrets = trust.secrets(found, "services");
  const http = createHttpClient({ allow: config.network.allow });
  const redactor = createRedactor(Object.values(found.values));
  const log = (message: string): void => {
    if (verbose) terminal.log(terminal.tint("dim", toOneLine(redactor.line(message))));
  };
  const onSecrets = (values: readonly string[]): void => redactor.add(values);
  const refuses = trust.refusesServer;
  const registry = new ToolRegistry();
  const opened = await openMcp({ dir, config, env, secrets, http, log, onSecrets, registry, refuses });
  try {
    await opened.source.load();
    return await work({ ...opened, dir, registry, redactor });
  } finally {
    await opened.source.close();
    await http.close();
  }
}
