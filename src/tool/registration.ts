import type { AnyTool } from "./tool.ts";

/** A tool and its origin. */
export interface Registration {
  readonly tool: AnyTool;
  /** `tools`, `skills`, `mcps` or any other word. */
  readonly source: string;
  /** The file or server that registered it; registering the same name again replaces it within its owner. */
  readonly owner: string;
  /** The lowest number wins if several sources offer one name. */
  readonly priority: number;
  /**
   * True if it only chooses which of several tools runs: permission rules apply to the chosen tool, and the result
   * names its origin.
   */
  readonly isChoice?: boolean;
  /** The candidates that it chooses from. */
  readonly candidates?: readonly Registration[];
}

/** Owner of the tools and chains that are part of Windlass. */
export const builtinOwner = "builtin";

/** True for the tools, skills and chains of the workspace itself: neither built in nor of an MCP server. */
export function isWorkspaceTool({ source, owner }: Pick<Registration, "source" | "owner">): boolean {
  return owner !== builtinOwner && source !== "mcps";
}

/** A tool that is created on first use, because most tools are never called. */
export interface ToolOffer {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The aliases that are forms of the tool. Default: none. */
  readonly forms?: readonly string[];
  /** Creates the tool of this name, with these aliases and forms. */
  readonly make: () => AnyTool;
}
