import { type Registration, builtinOwner } from "./registration.ts";
import type { AnyTool, Tool } from "./tool.ts";

/**
 * Adds forms to a tool: aliases with their own input and output, such as the names of earlier versions. Rules, limits and
 * records treat a call of a form as a call of the tool. Each name has to be one of its aliases.
 */
export function withForms<Input, Args, Output>(
  tool: Tool<Input, Args, Output>,
  forms: Readonly<Record<string, AnyTool>>,
): Tool<Input, Args, Output> {
  const known = new Map<AnyTool, AnyTool>();
  const own: Record<string, AnyTool> = {};
  const whole = { ...tool, forms: own };
  const { name, version, displayName, id, status, category, tags, aliases, capabilities } = tool;
  const { alwaysEnabled, background, gated } = tool;
  const identity = { name, version, displayName, id, status, category, tags, aliases, capabilities };
  for (const [alias, form] of Object.entries(forms)) {
    const made =
      known.get(form) ?? Object.freeze({ ...form, ...identity, alwaysEnabled, background, gated, formOf: whole });
    known.set(form, made);
    own[alias] = made;
  }
  Object.freeze(own);
  return Object.freeze(whole);
}

/** The name that leads to exactly this tool: of a form, the alias that it belongs to. */
export function nameToCall(tool: AnyTool): string {
  const found = Object.entries(tool.formOf?.forms ?? {}).find(([, form]) => form === tool);
  return found?.[0] ?? tool.name;
}

/** True if both are the same tool, or forms of it. */
export function isSameTool(one: AnyTool | undefined, other: AnyTool): boolean {
  return one !== undefined && (one.formOf ?? one) === (other.formOf ?? other);
}

/**
 * The names by which settings may trust a tool: its own, and of a built-in tool those of earlier versions that lead to
 * it. Any other tool may share its aliases.
 */
export function namesToTrust(
  { tool, owner, source }: Registration,
  resolve: (name: string) => Registration | undefined,
): readonly string[] {
  if (owner !== builtinOwner || source !== "tools") return [tool.name];
  return [tool.name, ...tool.aliases.filter((alias) => isSameTool(resolve(alias)?.tool, tool))];
}
