import { type OpenedMcp, WorkspaceError, findWorkspace, openMcp, readSecrets, readSettings } from "../app/index.ts";
import { createDoor } from "../net/index.ts";
import { type Redactor, createRedactor, hasErrors } from "../text/index.ts";
import { ToolRegistry } from "../tool/index.ts";
import { oneLine } from "./format-table.ts";
import type { Terminal } from "./terminal.ts";

/** The MCP servers of the workspace here, without anything else of it. */
export interface McpHere extends OpenedMcp {
  readonly dir: string;
  /** Hides secrets in what servers say. */
  readonly redactor: Redactor;
}

/** How the servers are opened. */
export interface McpHereOptions {
  readonly terminal: Terminal;
  /** Tell what servers say while they are connected to. */
  readonly verbose?: boolean;
}

/** Opens the MCP servers of the workspace here, runs `work`, and ends what was started. */
export async function withMcp<T>(options: McpHereOptions, work: (here: McpHere) => Promise<T>): Promise<T> {
  const { terminal, verbose = false } = options;
  const dir = await findWorkspace(".");
  const { config, problems } = await readSettings(dir);
  if (hasErrors(problems)) throw new WorkspaceError(problems);
  const { env } = process;
  const secrets = await readSecrets(config.secrets, dir, env);
  const door = createDoor({ allow: config.network.allow });
  const redactor = createRedactor(Object.values(secrets.values));
  const log = (message: string): void => {
    if (verbose) terminal.tell(terminal.tint("dim", oneLine(redactor.text(message))));
  };
  const onSecrets = (values: readonly string[]): void => redactor.add(values);
  const opened = await openMcp({ dir, config, env, secrets, door, log, onSecrets, registry: new ToolRegistry() });
  try {
    await opened.source.load();
    return await work({ ...opened, dir, redactor });
  } finally {
    await opened.source.close();
    await door.close();
  }
}
