import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { type McpClient, loadMcpClient } from "../adapters/index.ts";
import { type McpSource, type McpSourceOptions, loadMcpSource } from "../hub/index.ts";
import type { Opening } from "./opening.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** Options of {@link openMcp}. */
export interface OpenMcpOptions
  extends
    Pick<McpSourceOptions, "registry" | "declared" | "connectUnknown" | "onEvent" | "onSecrets" | "mode" | "refuses">,
    Pick<Opening, "dir" | "env" | "secrets" | "http"> {
  readonly config: Pick<WorkspaceConfig, "secrets" | "env">;
  /** Receives the log of servers and connections; may contain secrets. */
  readonly log: (message: string) => void;
}

/** The MCP servers of a workspace. */
export interface OpenedMcp {
  readonly source: McpSource;
  /** Connects to servers, and logs in. */
  readonly client: () => Promise<McpClient>;
}

/** The MCP servers of a workspace, not loaded yet; the protocol is loaded when a server is used. */
export async function openMcp({ dir, config, env, secrets, http, log, ...rest }: OpenMcpOptions): Promise<OpenedMcp> {
  const { createMcpSource } = await loadMcpSource();
  const stateDir = join(dir, ".windlass");
  // Created within the first call that needs it, but not part of that call.
  const outside = AsyncLocalStorage.snapshot();
  let made: Promise<McpClient> | undefined;
  const client = (): Promise<McpClient> => {
    made ??= outside(async () => {
      const { createMcpConnector } = await loadMcpClient();
      return createMcpConnector({ stateDir, http, env, onLog: log });
    });
    return made;
  };
  const missing = new Map(secrets.missing.map(({ name, why }) => [name, why]));
  const source = createMcpSource({
    ...rest,
    dir,
    stateDir,
    env,
    allowedEnv: config.env,
    secrets: {
      get: (name) => (Object.hasOwn(secrets.values, name) ? secrets.values[name] : undefined),
      hint: (name) => missing.get(name),
    },
    secretNames: Object.keys(config.secrets),
    connector: client,
    onLog: log,
  });
  return { source, client };
}
