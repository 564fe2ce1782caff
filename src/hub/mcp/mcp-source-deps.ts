import type { Clock } from "../../base/index.ts";
import type { Problem } from "../../text/index.ts";
import type { RegistryChange, ToolRegistry } from "../../tool/index.ts";
import type { McpConnector } from "./mcp-port.ts";
import type { McpSourceLimits } from "./mcp-source-limits.ts";
import type { StateFiles } from "./server-state-files.ts";

/** Dependencies that all servers of a source share. */
export interface McpSourceDeps {
  readonly registry: ToolRegistry;
  readonly files: StateFiles;
  /** Loaded by the first who needs it. */
  readonly connector: () => Promise<McpConnector>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: McpSourceLimits;
  readonly declared: Readonly<Record<string, readonly string[]>>;
  readonly log: (message: string) => void;
  /** Changes tools in the registry. Every change goes through here, so that it is emitted. */
  readonly change: (apply: () => RegistryChange) => void;
  /** A server has resources now, or has none any more. */
  readonly resourcesChanged: () => void;
  /** A server cannot be used. */
  readonly broke: (problem: Problem, server: string) => void;
}
