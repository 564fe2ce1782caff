import { jsonText } from "../../base/index.ts";
import { forbiddenKeys, isMap } from "../../schema/index.ts";
import type { Problem } from "../../text/index.ts";
import { approvalSchema, chainKeysSchema, stepSchema } from "./chain-file-schema.ts";
import { ChainReport } from "./chain-report.ts";
import type { ChainSpec } from "./spec.ts";
import { usableSpec } from "./usable-spec.ts";

/** A chain to be planned: a file, or data that was written in code. */
export type ChainSource =
  | { readonly text: string; readonly file: string }
  | { readonly spec: ChainSpec; readonly text?: undefined };

/** What was read: the whole chain if there are no errors, and everything that is wrong. */
export interface ReadChain {
  readonly spec?: ChainSpec;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
}

/** A chain as far as it can be read, and the report that knows the places of its parts. */
export interface ReadSource {
  /** Absent when nothing can be said about it beyond what was reported. */
  readonly spec: ChainSpec | undefined;
  readonly report: ChainReport;
}

const mostSteps = 20_000;
const deepest = 64;

/**
 * Reads a chain file and checks its form: keys, types and what has to be there. Never throws. Whether its expressions,
 * tools and references make sense is for {@link planChain} to say.
 *
 * @example
 * ```ts
 * const { spec, problems } = readChain(text, { file: "chains/research.yaml" });
 * ```
 */
export function readChain(text: string, { file }: { readonly file: string }): ReadChain {
  const { spec, report } = readSource({ text, file });
  return { ...(spec !== undefined && !report.failed && { spec }), problems: report.problems };
}

/** Reads a chain from a file or from data, keeping what can be checked further. */
export function readSource(source: ChainSource): ReadSource {
  if (source.text === undefined) return readSpec(source.spec);
  const { value, report } = ChainReport.ofFile(source.text, source.file);
  if (value === undefined) return { spec: undefined, report };
  return { spec: checkForm(value, report), report };
}

/** Data of code is copied first: what is planned stays what it was, and is nothing but JSON. */
function readSpec(given: unknown): ReadSource {
  const report = ChainReport.ofSpec(nameOf(given));
  const json = jsonText(given);
  if ("problem" in json) {
    report.add("not_json", [], [`a chain is plain JSON data; ${json.problem}`]);
    return { spec: undefined, report };
  }
  const value: unknown = JSON.parse(json.text);
  const fault = hostilePart(value);
  if (fault !== undefined) report.add(fault.code, [], [fault.message]);
  return { spec: fault === undefined ? checkForm(value, report) : undefined, report };
}

function nameOf(given: unknown): string {
  try {
    const name: unknown = isMap(given) ? given["name"] : undefined;
    return typeof name === "string" ? name.slice(0, 128) : "without a name";
  } catch {
    return "without a name";
  }
}

/** What YAML files are refused for, data of code is refused for too. Without recursion: it may be deep. */
function hostilePart(root: unknown): { code: string; message: string } | undefined {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return { code: "too_deep", message: `the chain nests deeper than ${deepest} levels` };
    const below: unknown[] = [];
    for (const node of level) {
      if (typeof node !== "object" || node === null) continue;
      // What JSON.parse made has no inherited keys.
      for (const key in node) {
        if (forbiddenKeys.has(key)) return { code: "forbidden_key", message: `the key "${key}" is not allowed` };
        const item = (node as Record<string, unknown>)[key];
        if (typeof item === "object") below.push(item);
      }
    }
    level = below;
  }
  return undefined;
}

function checkForm(value: unknown, report: ChainReport): ChainSpec | undefined {
  if (!isMap(value)) {
    report.add("wrong_type", [], ["a chain is a map of keys such as name, input, steps and output"]);
    return undefined;
  }
  report.regard(value);
  report.check(value, chainKeysSchema, []);
  const { steps } = value;
  if (!Array.isArray(steps)) return usableSpec(value);
  if (steps.length > mostSteps) {
    report.add("too_many_steps", ["steps"], [`a chain may have ${mostSteps} steps, this one has ${steps.length}`]);
    return undefined;
  }
  for (const [index, step] of steps.entries()) checkStep(step, index, report);
  return usableSpec(value);
}

function checkStep(step: unknown, index: number, report: ChainReport): void {
  const path = ["steps", index];
  const approval = isMap(step) ? step["approval"] : undefined;
  if (!isMap(step) || !isMap(approval)) {
    report.check(step, stepSchema, path);
    return;
  }
  // Of the two forms the map is meant, so its own keys are told about.
  report.check(approval, approvalSchema, [...path, "approval"]);
  report.check({ ...step, approval: null }, stepSchema, path);
}
