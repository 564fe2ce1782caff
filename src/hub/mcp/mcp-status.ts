import type { LastFailure } from "./server-breaker.ts";
import type { DefinitionChange } from "./definition-diff.ts";
import type { McpDefinition } from "./mcp-port.ts";
import type { IdentityChange } from "./server-identity.ts";
import type { McpSourceReason } from "./source-reasons.ts";

/**
 * How a server is doing: `connected` and `connecting` now; `known` by its catalogue; `unknown`, never connected to;
 * `down`, it could not be connected to, and may be left
 * alone for a while; `changed`, its command line or address is another than was approved; `disabled` or
 * `broken` by its entry in the file.
 */
export type McpServerState =
  | "connected"
  | "connecting"
  | "known"
  | "unknown"
  | "down"
  | "changed"
  | "disabled"
  | "broken";

/** What there is to know about a server without asking it. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpServerState;
  readonly transport: "stdio" | "http" | undefined;
  /** The command line or the address, as the file has it. */
  readonly shown: string;
  /** The version of the protocol at the last connection. */
  readonly protocol?: string;
  /** What it said about itself then, as a whole. For people: nobody has pinned it, so no model is given it. */
  readonly instructions?: string;
  /** When its tools were last listed, in epoch milliseconds. */
  readonly seenAt?: number;
  /** Names of tools that can be called. */
  readonly tools: readonly string[];
  readonly refused: readonly RefusedTool[];
  readonly resources: number;
  readonly lastFailure?: LastFailure;
  /** What is wrong with its entry in the file. */
  readonly fault?: string;
  /** What somebody should do about it. */
  readonly todo?: string;
}

/** A tool that is listed and cannot be called. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: McpSourceReason;
  readonly message: string;
}

/** What waits for somebody's approval. Approving it approves exactly this. */
export interface McpReview {
  readonly server: string;
  /** Of the server as it was looked at. */
  readonly identity: string;
  /** The server was never approved as it is: by its command line, environment or address, or how far it is trusted. */
  readonly address?: {
    readonly before: string;
    readonly after: string;
    /** Everything that decides which server it is, also what is as it was. */
    readonly parts: readonly IdentityChange[];
  };
  readonly tools: readonly ReviewedTool[];
  /** Tools that were approved and that the server does not offer any more. */
  readonly gone: readonly string[];
  /** Tools that cannot be approved at all. */
  readonly refused: readonly RefusedTool[];
}

/** A tool that waits for approval, and what is different about it. */
export interface ReviewedTool {
  readonly name: string;
  readonly isNew: boolean;
  readonly changes: readonly DefinitionChange[];
  readonly definition: McpDefinition;
}
