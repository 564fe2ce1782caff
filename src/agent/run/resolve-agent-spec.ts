import { fail } from "../../base/index.ts";
import { quoteText } from "../../text/index.ts";
import { type AgentSpec, agentDefaults } from "./agent-spec.ts";

type Given = Partial<Omit<AgentSpec, "runner">>;

/**
 * What an agent is to be: what is said later goes before what was said earlier, and what nobody says is as usual. Throws
 * where a limit is none, which would otherwise be found out by a run that never ends.
 */
export function completeSpec(runner: string, ...given: readonly Given[]): AgentSpec {
  const said = given.map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)));
  // Each has only keys of it.
  const spec = Object.assign({}, agentDefaults, ...said, { runner }) as AgentSpec;
  for (const [key, { fits, wants }] of rules) {
    const value = spec[key];
    if (value === undefined || fits(value)) continue;
    throw fail(`${key} of an agent has to be ${wants}, not ${quoteText(shown(value))}`, { code: "validation_error" });
  }
  return spec;
}

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly wants: string;
}

const rounds: Rule = {
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  wants: "a whole number, 0 or more",
};
const count: Rule = {
  fits: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  wants: "a whole number, 1 or more",
};
const limit: Rule = { ...count, wants: `${count.wants}; leave it out where there is no limit` };
const money: Rule = {
  fits: (value) => Number.isFinite(value) && Number(value) > 0,
  wants: "a number above 0; leave it out where there is no limit",
};
const names: Rule = {
  fits: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  wants: "a list of names",
};

const rules: readonly (readonly [keyof AgentSpec, Rule])[] = [
  ["maxRounds", rounds],
  ["maxParallel", count],
  ["tokenBudget", limit],
  ["costBudget", money],
  ["callTokenBudget", limit],
  ["callCostBudget", money],
  ["toolTokens", count],
  ["viewChars", count],
  ["contextTokens", count],
  ["tools", names],
  ["trusted", names],
];

function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
}
