import type { Effect } from "../../tool/index.ts";
import type { McpAddress } from "./mcp-port.ts";
import type { IdentityPart } from "./server-identity.ts";

/**
 * Whose definitions are taken: `first` takes those of the first connection and asks about every later change, `ask` asks
 * about the first ones too, `all` takes whatever the server says, except for hidden text.
 */
export type McpTrust = "first" | "ask" | "all";

/** A server as the workspace describes it. */
export interface McpServer {
  /** As in the names of its tools, `name/tool`. */
  readonly name: string;
  readonly address: McpAddress;
  /** The command line or the address as the file has it, nothing filled in: fit to be shown. */
  readonly shown: string;
  /** Tells one command line or address from another, whatever the values of secrets are. */
  readonly identity: string;
  /** The same part by part, fit to be shown. */
  readonly parts: readonly IdentityPart[];
  readonly timeoutMs: number | undefined;
  /** Globs over the server's own names of its tools. */
  readonly tools: { readonly allow: readonly string[] | undefined; readonly deny: readonly string[] };
  /** What the workspace says about effects, by name or glob; it goes before what the server says. */
  readonly effects: Readonly<Record<string, Effect>>;
  /** Capabilities of all tools, and of some by name or glob. */
  readonly capabilities: {
    readonly all: readonly string[];
    readonly byTool: Readonly<Record<string, readonly string[]>>;
  };
  readonly trust: McpTrust;
  readonly place: ServerPlace;
}

/** Where a server stands in its file. */
export interface ServerPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length?: number;
}

/** A server that the files name and that is not used, and why. */
export interface UnusedServer {
  readonly name: string;
  readonly why: "disabled" | "broken";
  readonly shown: string;
  /** What is wrong with its entry. */
  readonly fault?: string;
}
