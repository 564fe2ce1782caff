import { canonicalJson } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";
import { type Candidate, type Choice, candidatesOf } from "./candidate.ts";
import type { Contract } from "./contract.ts";
import { type Strategy, type ToolKind, strategyFor } from "./tool-kind.ts";

/**
 * The candidates of a capability, best first: those that can serve its contract. Where it has none, those that can stand
 * in for the best of them; a tag alone does not say that two tools do the same.
 */
export function servingOf(
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
  if (canonicalJson(neededBy(tool)) === canonicalJson(neededBy(best))) return undefined;
  return `it needs other arguments than ${label}; a contract can say what each is called with`;
}

function writes({ effect }: AnyTool): boolean {
  return effect !== "pure" && effect !== "read";
}

/** The arguments that every call has to give. */
export function neededBy({ input: { json } }: AnyTool): readonly string[] {
  const { required, properties } = json;
  const known = isRecord(properties) ? properties : {};
  // JSON Schema says that it is a list of names. What has a default need not be given, whatever the list says.
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  return names.filter((key) => !(isRecord(known[key]) && Object.hasOwn(known[key], "default"))).toSorted();
}

/** How candidates are used where nothing is known of the arguments: only what changes nothing runs beside others. */
export function usualStrategy(kind: ToolKind, candidates: readonly Candidate[]): Strategy {
  const [best] = candidates;
  if (best === undefined || writes(best.registration.tool)) return "in_turn";
  const readers = candidates.filter(({ registration }) => !writes(registration.tool)).length;
  return strategyFor(kind, kind === "other" && readers < candidates.length ? 0 : readers);
}
