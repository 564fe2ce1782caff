import { forbiddenKeys } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { suggestName } from "./suggest-form.ts";
import type { StepSpec } from "./chain-spec.ts";

/** The names by which expressions find steps. */
export interface StepNames {
  /** Step id -> its index. */
  readonly byId: ReadonlyMap<string, number>;
  /** Name of `output.as` -> the index of the step. */
  readonly byAs: ReadonlyMap<string, number>;
}

const maxLength = 128;

/** The names of all steps; invalid and duplicate names are reported. */
export function readStepNames(steps: readonly StepSpec[], report: ChainReport): StepNames {
  const byId = new Map<string, number>();
  const byAs = new Map<string, number>();
  const ids: Known = { names: byId, looks: new Map() };
  const asNames: Known = { names: byAs, looks: new Map() };
  for (const [index, { id, output }] of steps.entries()) {
    // A step without an id has been reported.
    if (id !== "") take(ids, { name: id, index, path: ["steps", index, "id"], kind: "id" }, report);
    const as = output?.as;
    if (as !== undefined)
      take(asNames, { name: as, index, path: ["steps", index, "output", "as"], kind: "as" }, report);
  }
  return { byId, byAs };
}

interface Known {
  readonly names: Map<string, number>;
  /** The same by visual form: an accent may be part of its letter, or a separate character. */
  readonly looks: Map<string, number>;
}

function take(
  { names, looks }: Known,
  {
    name,
    index,
    path,
    kind,
  }: { readonly name: string; readonly index: number; readonly path: YamlPath; readonly kind: "id" | "as" },
  report: ChainReport,
): void {
  const fault = nameFault(name);
  if (fault !== undefined)
    report.add(`bad_${kind}`, path, [`the ${nameKinds[kind]} ${fault}`, { hint: betterName(name) }]);
  const look = name.normalize();
  const first = looks.get(look);
  const isNew = !names.has(name);
  if (isNew) names.set(name, index);
  if (first === undefined) {
    looks.set(look, index);
    return;
  }
  const both = `the ${ordinal(first)} and the ${ordinal(index)}`;
  const how = isNew ? ", which looks the same but uses other characters" : "";
  const message = `two steps have the ${nameKinds[kind]} "${name.slice(0, maxLength)}"${how}: ${both}`;
  report.add(`duplicate_${kind}`, path, [message, { hint: "choose another name for one of them" }]);
}

const nameKinds = { id: "id", as: 'name of "as"' } as const;

function betterName(name: string): string | undefined {
  const better = forbiddenKeys.has(name) ? `${name}-step` : suggestName(name);
  return better === undefined || nameFault(better) !== undefined ? undefined : `use the name ${JSON.stringify(better)}`;
}

function nameFault(name: string): string | undefined {
  if (name.length > maxLength) return `may have at most ${maxLength} characters, but has ${name.length}`;
  if (forbiddenKeys.has(name)) return `"${name}" is not allowed`;
  // An expression can read it after a dot; hyphens stand only between other characters. The first pattern is a fast path
  // for most names, because Unicode classes are slow to compile.
  if (/^\w+(?:-+\w+)*$/.test(name) || /^[\p{L}\p{M}\p{N}_]+(?:-+[\p{L}\p{M}\p{N}_]+)*$/u.test(name)) return undefined;
  return `${JSON.stringify(name)} may contain only letters, digits, _ and, between them, -`;
}

function ordinal(index: number): string {
  const count = index + 1;
  const last = count % 100 >= 11 && count % 100 <= 13 ? 0 : count % 10;
  return `${count}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}
