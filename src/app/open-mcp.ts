import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { type McpClient, loadMcpClient } from "../adapters/index.ts";
import { type McpSource, type McpSourceOptions, loadMcpSource } from "../hub/index.ts";
import type { StreamingDoor } from "../net/index.ts";
import type { ReadSecrets } from "./read-secrets.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** What {@link openMcp} takes. */
export interface McpSetting extends Pick<
  McpSourceOptions,
  "registry" | "declared" | "connectUnknown" | "onEvent" | "onSecrets" | "mode"
> {
  /** The workspace. */
  readonly dir: string;
  readonly config: Pick<WorkspaceConfig, "secrets" | "env">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: ReadSecrets;
  readonly door: StreamingDoor;
  /** What servers and the way to them say; may hold secrets. */
  readonly log: (message: string) => void;
}

/** The MCP servers of a workspace. */
export interface OpenedMcp {
  readonly source: McpSource;
  /** What connects to servers, and logs in. */
  readonly client: () => Promise<McpClient>;
}

/** The MCP servers of a workspace, to be loaded; nothing of the protocol is loaded before a server is used. */
export async function openMcp({ dir, config, env, secrets, door, log, ...rest }: McpSetting): Promise<OpenedMcp> {
  const { createMcpSource } = await loadMcpSource();
  const stateDir = join(dir, ".windlass");
  // Made within the first call that needs it, and no part of that call.
  const outside = AsyncLocalStorage.snapshot();
  let made: Promise<McpClient> | undefined;
  const client = (): Promise<McpClient> => {
    made ??= outside(async () => {
      const { createMcpConnector } = await loadMcpClient();
      return createMcpConnector({ stateDir, door, env, onLog: log });
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
      todo: (name) => missing.get(name),
    },
    secretNames: Object.keys(config.secrets),
    connector: client,
    onLog: log,
  });
  return { source, client };
}
