import { fail } from "../../base/index.ts";
import { quoteText } from "../../text/index.ts";
import { type AgentSpec, agentDefaults } from "./agent-spec.ts";

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
  for (const [key, { fits, expects }] of rules) {
    const value = spec[key];
    if (value === undefined || fits(value)) continue;
    throw fail(`${key} of an agent has to be ${expects}, not ${quoteText(formatSetting(value))}`, {
      code: "validation_error",
    });
  }
  return spec;
}

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly expects: string;
}

const rounds: Rule = {
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  expects: "a whole number, 0 or more",
};
const count: Rule = {
  fits: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  expects: "a whole number, 1 or more",
};
const limit: Rule = { ...count, expects: `${count.expects}; omit it for no limit` };
const money: Rule = {
  fits: (value) => Number.isFinite(value) && Number(value) > 0,
  expects: "a number above 0; omit it for no limit",
};
const names: Rule = {
  fits: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  expects: "a list of names",
};

const rules: readonly (readonly [keyof AgentSpec, Rule])[] = [
  ["maxRounds", rounds],
  ["maxParallel", count],
  ["tokenBudget", limit],
  ["costBudget", money],
  ["callTokenBudget", limit],
  ["callCostBudget", money],
  ["toolDefinitionTokens", count],
  ["resultChars", count],
  ["contextTokens", count],
  ["tools", names],
  ["trustedTools", names],
];

function formatSetting(value: unknown): string {
  return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
}
