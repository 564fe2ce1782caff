import type { AnyTool } from "../tool/index.ts";
import type { EngineOptions } from "./engine-options.ts";

/** Decides whether a tool is on offer: its status, and what the settings switch on and off. */
export function availability(options: Pick<EngineOptions, "enabledTools" | "disabledTools">) {
  const enabled = new Set(options.enabledTools);
  const disabled = new Set(options.disabledTools);
  const someDisabled = disabled.size > 0;
  /** Why it is not on offer, if it is not. */
  return (tool: AnyTool): string | undefined => {
    if (tool.status === "disabled" || tool.status === "draft") return `${tool.name} is ${tool.status}`;
    if (tool.gated && !isNamed(tool, enabled)) return `${tool.name} is gated; name it in enabled_tools to use it`;
    if (someDisabled && isNamed(tool, disabled) && !tool.alwaysEnabled)
      return `${tool.name} is switched off by disabled_tools`;
    return undefined;
  };
}

function isNamed(tool: AnyTool, names: ReadonlySet<string>): boolean {
  return names.has(tool.name) || tool.aliases.some((alias) => names.has(alias));
}
