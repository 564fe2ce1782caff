import { baseFamily } from "./base-family.ts";
import { claudeFamily } from "./claude-family.ts";
import { geminiFamily } from "./gemini-family.ts";
import { gptFamily } from "./gpt-family.ts";
import type { ModelFamily } from "../port/model-family.ts";
import { reasoningFamily } from "./reasoning-family.ts";

/** The first family that includes a model applies. */
const families: readonly ModelFamily[] = [claudeFamily, geminiFamily, gptFamily, reasoningFamily];

const familiesKey: unique symbol = Symbol.for("windlass.families") as never;

/**
 * Families registered by users, which precede the others. Every entry of the package has a copy of this module; all
 * copies share this list.
 */
const userFamilies: ModelFamily[] = ((globalThis as { [familiesKey]?: ModelFamily[] })[familiesKey] ??= []);

/**
 * Registers a model family. It precedes families registered earlier, so it can also match some of their models; a
 * family of the same name is replaced.
 *
 * @example
 * ```ts
 * registerModelFamily({ ...baseFamily, name: "mistral", includes: (id) => /mistral|mixtral/i.test(id) });
 * ```
 *
 * @see docs/guide/model-adapters.md
 */
export function registerModelFamily(family: ModelFamily): void {
  const at = userFamilies.findIndex(({ name }) => name === family.name);
  if (at >= 0) userFamilies.splice(at, 1);
  userFamilies.unshift(family);
}

/**
 * The family of a model, by its name and provider; {@link baseFamily} if no other family matches.
 *
 * @example
 * ```ts
 * resolveModelFamily("claude-sonnet-4-5", "anthropic").name; // "claude"
 * ```
 */
export function resolveModelFamily(modelId: string, provider: string): ModelFamily {
  const includes = (family: ModelFamily): boolean => family.includes(modelId, provider);
  return userFamilies.find(includes) ?? families.find(includes) ?? baseFamily;
}
