import { suggest } from "../../text/index.ts";
import { builtInContracts } from "./built-in-contracts.ts";
import { capabilityKeywords } from "./capability-keywords.ts";
import { capabilityName } from "./derive-capabilities.ts";
import type { Hub } from "./hub.ts";

/** A word that is longer or shorter by more than this is another one, not a slip. */
const slip = 2;

/**
 * What was probably meant by a capability that nobody knows but the one for whom it was declared; undefined where it is
 * known, or like nothing that is.
 */
export function meantCapability(given: string, hub: Pick<Hub, "capabilities">): string | undefined {
  const name = capabilityName(given);
  const shared = hub.capabilities().filter(({ tools, contract }) => tools.length > 1 || contract !== undefined);
  const contracts = [...builtInContracts().values(), ...shared.flatMap(({ contract }) => contract ?? [])];
  const known = new Set([
    ...Object.keys(capabilityKeywords),
    ...shared.map((capability) => capability.name),
    ...contracts.flatMap((contract) => [contract.name, ...contract.aliases]),
  ]);
  const near = known.has(name) ? undefined : suggest(name, known);
  return near !== undefined && Math.abs(near.length - name.length) <= slip ? near : undefined;
}
