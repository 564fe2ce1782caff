import { fail } from "../../base/index.ts";
import { type Setting, optionRule, toOptions } from "../../schema/index.ts";
import { quoteText } from "../../text/index.ts";
import { type AgentSpec, agentTable } from "./agent-spec.ts";

/** Default configuration. */
export const agentDefaults: AgentSpec = toOptions(agentTable);

type SpecOverrides = Partial<Omit<AgentSpec, "runner">>;

/**
 * Merges the configuration of an agent: later overrides replace earlier ones, and defaults fill the rest. Throws if a
 * limit is invalid, which would otherwise surface as a run that never ends.
 */
export function resolveAgentSpec(runner: string, ...overrides: readonly SpecOverrides[]): AgentSpec {
  const defined = overrides.map((each) =>
    Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)),
  );
  // Each has only keys of the configuration.
  const spec = Object.assign({}, agentDefaults, ...defined, { runner }) as AgentSpec;
  const values: Readonly<Record<string, unknown>> = { ...spec };
  for (const [name, setting] of Object.entries<Setting>(agentTable)) {
    const [value, { expects, fits }] = [values[name], optionRule(setting)];
    if (value === undefined || setting.type === "text" || fits(value)) continue;
    const omit = setting.defaultText === "no limit" ? "; omit it for no limit" : "";
    throw fail(`${name} of an agent has to be ${expects}${omit}, not ${quoteText(formatSetting(value))}`, {
      code: "validation_error",
    });
  }
  return spec;
}

function formatSetting(value: unknown): string {
  return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
}
