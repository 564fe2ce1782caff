import type { FailureError } from "../../base/index.ts";
import type { Effect, TargetKind } from "../../tool/index.ts";
import type { McpAddress } from "./mcp-port.ts";
import type { IdentityPart } from "./server-identity.ts";

/**
 * Trust in the definitions of a server: `first` accepts those of the first connection and requires approval of every
 * later change, `ask` requires approval of the first ones too, `all` accepts every definition, except with hidden text.
 */
export type McpTrust = "first" | "ask" | "all";

/** A server as the workspace describes it. */
export interface McpServer {
  /** As in the names of its tools, `name/tool`. */
  readonly name: string;
  readonly address: McpAddress;
  /** The command line or the address as in the file, without expansion: safe to show. */
  readonly display: string;
  /** Identifies the command line or address, independent of the values of secrets. */
  readonly identity: string;
  /** A hash of the scripts of the workspace that its command runs, as they are now; undefined if there are none. */
  readonly scripts: () => string | undefined;
  /** The same in parts, safe to show. */
  readonly parts: readonly IdentityPart[];
  readonly timeoutMs: number | undefined;
  /** Globs over the server's own names of its tools. */
  readonly tools: { readonly allow: readonly string[] | undefined; readonly deny: readonly string[] };
  /** Effects set by the workspace, by name or glob; they override the server's annotations. */
  readonly effects: Readonly<Record<string, Effect>>;
  /** Parameters that decide what a call acts on, by name or glob of the tool. */
  readonly targets: Readonly<Record<string, Readonly<Record<string, TargetKind>>>>;
  /** Capabilities of all tools, and of some by name or glob. */
  readonly capabilities: {
    readonly all: readonly string[];
    readonly byTool: Readonly<Record<string, readonly string[]>>;
  };
  readonly trust: McpTrust;
  readonly position: ServerPosition;
}

/** Position of a server in its file. */
export interface ServerPosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length?: number;
}

/** A server that the files name and that is not used, and why. */
export interface UnusedServer {
  readonly name: string;
  readonly why: "disabled" | "broken" | "untrusted";
  readonly display: string;
  /** Error in its entry. */
  readonly fault?: string;
  /** Why it may not be used, if it is untrusted. */
  readonly refusal?: FailureError;
}
