import { forbiddenKeys } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { correctedName } from "./corrected-name.ts";
import type { StepSpec } from "./spec.ts";

/** By which names expressions find steps. */
export interface StepNames {
  /** Step id -> its place. */
  readonly byId: ReadonlyMap<string, number>;
  /** Name of `output.as` -> the place of the step. */
  readonly byAs: ReadonlyMap<string, number>;
}

const longest = 128;

/** The names of all steps; those that cannot be used, or are used twice, are reported. */
export function readStepNames(steps: readonly StepSpec[], report: ChainReport): StepNames {
  const byId = new Map<string, number>();
  const byAs = new Map<string, number>();
  const ids: Known = { names: byId, looks: new Map() };
  const asNames: Known = { names: byAs, looks: new Map() };
  for (const [index, { id, output }] of steps.entries()) {
    // A step without an id has been told about.
    if (id !== "") take(ids, { name: id, index, path: ["steps", index, "id"], what: "id" }, report);
    const as = output?.as;
    if (as !== undefined)
      take(asNames, { name: as, index, path: ["steps", index, "output", "as"], what: "as" }, report);
  }
  return { byId, byAs };
}

interface Known {
  readonly names: Map<string, number>;
  /** The same by what a reader sees: an accent may be part of its letter, or a character of its own. */
  readonly looks: Map<string, number>;
}

interface Taken {
  readonly name: string;
  readonly index: number;
  readonly path: YamlPath;
  readonly what: "id" | "as";
}

function take({ names, looks }: Known, { name, index, path, what }: Taken, report: ChainReport): void {
  const fault = nameFault(name);
  if (fault !== undefined) report.add(`bad_${what}`, path, [`the ${words[what]} ${fault}`, { hint: betterName(name) }]);
  const look = name.normalize();
  const first = looks.get(look);
  const isNew = !names.has(name);
  if (isNew) names.set(name, index);
  if (first === undefined) {
    looks.set(look, index);
    return;
  }
  const both = `the ${ordinal(first)} and the ${ordinal(index)}`;
  const how = isNew ? ", which looks the same and is written with other characters" : "";
  const message = `two steps have the ${words[what]} "${name.slice(0, longest)}"${how}: ${both}`;
  report.add(`duplicate_${what}`, path, [message, { hint: "choose another name for one of them" }]);
}

const words = { id: "id", as: 'name of "as"' } as const;

function betterName(name: string): string | undefined {
  const better = forbiddenKeys.has(name) ? `${name}-step` : correctedName(name);
  return better === undefined || nameFault(better) !== undefined ? undefined : `call it ${JSON.stringify(better)}`;
}

function nameFault(name: string): string | undefined {
  if (name.length > longest) return `may have at most ${longest} characters, has ${name.length}`;
  if (forbiddenKeys.has(name)) return `"${name}" is not allowed`;
  if (isReadable(name)) return undefined;
  return `${JSON.stringify(name)} may hold letters, digits, _ and, between them, -`;
}

/** Can an expression read it after a dot? Hyphens stand only between other characters. */
function isReadable(name: string): boolean {
  // Most names; the classes of letters of all scripts take their time to be made.
  return /^\w+(?:-+\w+)*$/.test(name) || /^[\p{L}\p{M}\p{N}_]+(?:-+[\p{L}\p{M}\p{N}_]+)*$/u.test(name);
}

function ordinal(index: number): string {
  const count = index + 1;
  const last = count % 100 >= 11 && count % 100 <= 13 ? 0 : count % 10;
  return `${count}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}
