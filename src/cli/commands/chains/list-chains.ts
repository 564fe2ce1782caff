import { resolve } from "node:path";
import type { Workspace } from "../app/index.ts";
import { type ChainSpec, type LibrarySource, type Plan, readChain } from "../chain/index.ts";
import { type JsonSchema, isRecord } from "../schema/index.ts";
import { type Problem, hasErrors } from "../text/index.ts";
import { oneLine } from "./format-table.ts";
import { parametersOf } from "./parameters-of.ts";
import { absence } from "./plan-for-picture.ts";

/** A chain as lists show it: as planned, or as far as its file can be read. */
export interface ListedChain {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Absolute; undefined for one that is built in. */
  readonly file: string | undefined;
  readonly steps: readonly string[];
  readonly inputs: readonly { readonly name: string; readonly required: boolean }[];
  /** What is known only of a chain that can be planned. */
  readonly schema?: JsonSchema;
  readonly effect?: Plan["effect"];
  readonly destructive?: boolean;
  /** Why it cannot run, in a few words. */
  readonly why: string | undefined;
  /** Their files are absolute. */
  readonly problems: readonly Problem[];
}

/** The chains of a workspace, sorted by name. */
export function listChains(workspace: Workspace): ListedChain[] {
  const { chains, chainFolder, dir } = workspace;
  return chains
    .names()
    .sort()
    .map((name) => {
      const own = chainFolder.fileOf(name);
      const problems = chains.problems(name).map((problem) => ({ ...problem, file: resolve(dir, problem.file) }));
      const file = own === undefined ? undefined : resolve(dir, own);
      const known = hasErrors(problems) ? readable(chains.sourceOf(name)) : planned(chains.plan(name));
      return { name, file, problems, why: whyNot(name, workspace), ...known };
    });
}

type Known = Omit<ListedChain, "name" | "file" | "problems" | "why">;

function planned({ description, version, spec, input, effect, destructive }: Plan): Known {
  const inputs = parametersOf(input.json).map(({ name, required }) => ({ name, required }));
  const steps = spec.steps.map(({ id }) => id);
  return { description, version, steps, inputs, schema: input.json, effect, destructive };
}

/** A file that cannot be planned still says what it wants to be. */
function readable(source: LibrarySource | undefined): Known {
  const spec = specOf(source);
  if (spec === undefined) return { description: "", version: "", steps: [], inputs: [] };
  return {
    description: (spec.description ?? "").trim(),
    version: spec.version ?? "1.0.0",
    steps: spec.steps.map(({ id }) => id),
    inputs: Object.entries(spec.input ?? {}).map(([name, given]) => ({ name, required: isRequired(given) })),
  };
}

function specOf(source: LibrarySource | undefined): ChainSpec | undefined {
  if (source === undefined) return undefined;
  return "spec" in source ? source.spec : readChain(source.text, { file: source.file }).spec;
}

function isRequired(given: unknown): boolean {
  if (typeof given === "string") return !given.includes("=") && !given.trim().endsWith("?");
  return isRecord(given) && !Object.hasOwn(given, "default") && given["required"] !== false;
}

/** The tools that are missing, where that is all that is wrong; else the first thing. */
function whyNot(name: string, workspace: Workspace): string | undefined {
  const errors = workspace.chains.problems(name).filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return undefined;
  const missing = errors.every(({ code }) => absence.has(code)) ? missingTools(name, workspace) : [];
  if (missing.length > 0) return `needs ${missing.join(", ")}`;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return `cannot run: ${oneLine(first.message)}${more}`;
}

/** Of the chain and of those that it calls. */
function missingTools(name: string, { chains, engine }: Workspace): string[] {
  const missing = new Set<string>();
  const open = new Set([name]);
  for (const chain of open) {
    for (const tool of toolsIn(specOf(chains.sourceOf(chain)))) {
      if (chains.has(tool)) open.add(tool);
      else if (!engine.tools.has(tool)) missing.add(tool);
    }
  }
  return [...missing];
}

function toolsIn(spec: ChainSpec | undefined): string[] {
  const parts = [...(spec?.steps ?? []), { error_handling: spec?.error_handling }];
  return parts.flatMap((part) => [
    ...("tool" in part ? [part.tool] : []),
    ...("compensate" in part && part.compensate !== undefined ? [part.compensate.tool] : []),
    ...(part.error_handling?.fallback ?? []).map(({ tool }) => tool),
  ]);
}
