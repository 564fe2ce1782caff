import { canonicalJson } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { AnyTool, Registration, ToolOffer, ToolRegistry } from "../../tool/index.ts";
import { type Candidate, type Choice, candidatesOf } from "./candidate.ts";
import type { Contract } from "./contract.ts";
import { type ChoiceStrategy, type ToolKind, choiceStrategyFor } from "./tool-kind.ts";
import { findToolsName, findToolsTool } from "../tool-search/find-tools-tool.ts";
import { toolFinderOf } from "../tool-search/tool-finder.ts";
import { readResultName, readResultTool } from "../result-view/read-result-tool.ts";
import type { ResultStore } from "../result-view/result-store.ts";

/**
 * The candidates of a capability, best first: those that can serve its contract. Without a contract, those that can
 * replace the best of them; a shared tag alone does not make two tools equivalent.
 */
export function servingCandidates(
  registrations: readonly Registration[],
  contract: Contract | undefined,
): Pick<Choice, "candidates" | "unfit"> {
  const all = candidatesOf(registrations, contract, () => true);
  const [best, ...others] = all.candidates;
  if (contract !== undefined || best === undefined) return all;
  const unfit: string[] = [];
  const alike = others.filter((candidate) => {
    const why = unlike(candidate, best);
    if (why !== undefined) unfit.push(`${candidate.label}: ${why}`);
    return why === undefined;
  });
  return { candidates: [best, ...alike], unfit };
}

/** Why a tool cannot be called in place of another with the same arguments. */
function unlike({ registration: { tool } }: Candidate, { registration, label }: Candidate): string | undefined {
  const best = registration.tool;
  if (writes(tool) !== writes(best))
    return writes(tool) ? `it may change something, and ${label} only reads` : `it only reads, unlike ${label}`;
  if (canonicalJson(requiredArguments(tool)) === canonicalJson(requiredArguments(best))) return undefined;
  return `it needs other arguments than ${label}; a contract can map them`;
}

function writes({ effect }: AnyTool): boolean {
  return effect !== "pure" && effect !== "read";
}

/** The arguments that every call must have. */
export function requiredArguments({ input: { json } }: AnyTool): readonly string[] {
  const { required, properties } = json;
  const known = isRecord(properties) ? properties : {};
  // JSON Schema defines it as a list of names. A parameter with a default is optional even if it is listed.
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  return names.filter((key) => !(isRecord(known[key]) && Object.hasOwn(known[key], "default"))).toSorted();
}

/** The strategy for candidates if the arguments are unknown: only read-only tools run concurrently. */
export function defaultStrategy(kind: ToolKind, candidates: readonly Candidate[]): ChoiceStrategy {
  const [best] = candidates;
  if (best === undefined || writes(best.registration.tool)) return "in_turn";
  const readers = candidates.filter(({ registration }) => !writes(registration.tool)).length;
  return choiceStrategyFor(kind, kind === "other" && readers < candidates.length ? 0 : readers);
}

/** Dependencies of {@link hubOffers}. */
export interface HubOffersDeps {
  /** Registry that `find_tools` searches. */
  readonly registry: ToolRegistry;
  /** Store of large results. */
  readonly resultStore: ResultStore;
  /** True if a tool could be called. Default: all tools. */
  readonly isOffered?: (tool: AnyTool) => boolean;
}

/** The tools that every workspace has for its other tools. */
export const hubToolNames: readonly string[] = [findToolsName, readResultName];

/** The tools that find others and read large results, created on demand. */
export function hubOffers({ registry, resultStore, isOffered }: HubOffersDeps): ToolOffer[] {
  return [
    {
      name: findToolsName,
      aliases: [],
      make: () => findToolsTool({ finder: toolFinderOf(registry), isOffered }),
    },
    { name: readResultName, aliases: [], make: () => readResultTool(resultStore) },
  ];
}
