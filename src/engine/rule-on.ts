import type { AnyTool } from "../tool/index.ts";
import type { Call } from "./call.ts";
import type { Ruling } from "./permissions.ts";

/** What the rules say about a call. */
export function ruleOn({ core, context, source, effect, args }: Call, tool: AnyTool): Ruling {
  const { always, rule } = core.permissions;
  const { callerType = "direct" } = context;
  const known = always(callerType);
  if (known !== undefined) return known;
  const destructive = typeof tool.destructive === "function" ? tool.destructive(args) : tool.destructive;
  return rule({ tool: tool.name, aliases: tool.aliases, source, callerType, effect, destructive });
}
