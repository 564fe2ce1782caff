import { baseFamily } from "./base-family.ts";
import { claudeFamily } from "./claude-family.ts";
import { geminiFamily } from "./gemini-family.ts";
import { gptFamily } from "./gpt-family.ts";
import type { ModelFamily } from "./model-family.ts";
import { reasoningFamily } from "./reasoning-family.ts";

/** The first that knows a model has it. */
const families: readonly ModelFamily[] = [claudeFamily, geminiFamily, gptFamily, reasoningFamily];

const ownKey: unique symbol = Symbol.for("windlass.families") as never;

/** Those of users, before the others. Every entry of the package has a copy of this module; these belong to all of them. */
const own: ModelFamily[] = ((globalThis as { [ownKey]?: ModelFamily[] })[ownKey] ??= []);

/**
 * Makes a family known. It goes before those that are known already, so that it can also take over some of their
 * models; one of the same name is replaced.
 *
 * @example
 * ```ts
 * registerFamily({ ...baseFamily, name: "mistral", includes: (id) => /mistral|mixtral/i.test(id) });
 * ```
 */
export function registerFamily(family: ModelFamily): void {
  const at = own.findIndex(({ name }) => name === family.name);
  if (at >= 0) own.splice(at, 1);
  own.unshift(family);
}

/** The family of a model, by its name and provider; {@link baseFamily} where no other knows it. */
export function familyOf(modelId: string, provider: string): ModelFamily {
  const includes = (family: ModelFamily): boolean => family.includes(modelId, provider);
  return own.find(includes) ?? families.find(includes) ?? baseFamily;
}
