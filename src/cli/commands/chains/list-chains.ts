import { resolve } from "node:path";
import { type Workspace, missingTargetCodes } from "../../../app/index.ts";
import {
  type ChainSpec,
  type ChainLibrarySource,
  type MissingRequirement,
  type Plan,
  missingRequirements,
  parseChain,
} from "../../../chain/index.ts";
import { type JsonSchema, isRecord } from "../../../schema/index.ts";
import { type Problem, hasErrors } from "../../../text/index.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { defaultOf, describeType, descriptionOf } from "../tools/describe-parameter.ts";
import { parametersOf } from "../tools/tool-parameters.ts";

/** A step of a chain. */
export interface ListedCall {
  readonly id: string;
  readonly tool: string;
  readonly depends_on?: readonly string[];
}

/** An input of a chain. */
export interface ListedInput {
  readonly name: string;
  readonly required: boolean;
  /** Such as `string` or `list of number`; undefined if the chain cannot be planned. */
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
}

/** A chain for lists: as planned, or as far as its file can be read. */
export interface ListedChain {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Absolute path; undefined if the chain is built in. */
  readonly file: string | undefined;
  readonly steps: readonly string[];
  /** The steps with the tools and chains that they call. */
  readonly calls: readonly ListedCall[];
  readonly inputs: readonly ListedInput[];
  /** Only known for a chain that can be planned. */
  readonly schema?: JsonSchema;
  readonly effect?: Plan["effect"];
  readonly destructive?: boolean;
  /** Short reason why the chain is not valid. */
  readonly why: string | undefined;
  /** The steps whose tools cannot work here; empty for a chain that is not valid. */
  readonly missing: readonly MissingRequirement[];
  /** Problems with absolute file paths. */
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

function planned(plan: Plan): Known {
  const { description, version, spec, input, effect, destructive } = plan;
  const inputs = parametersOf(input.json).map((parameter): ListedInput => {
    const about = descriptionOf(parameter);
    const value = defaultOf(parameter);
    return {
      name: parameter.name,
      required: parameter.required,
      type: describeType(parameter, input.json),
      ...(about !== "" && { description: about }),
      ...(value !== undefined && { default: value }),
    };
  });
  const steps = spec.steps.map(({ id }) => id);
  const missing = missingRequirements(plan);
  return {
    description,
    version,
    steps,
    calls: callsIn(spec),
    inputs,
    schema: input.json,
    effect,
    destructive,
    missing,
  };
}

/** Reads the name and description of a file that cannot be planned. */
function readable(source: ChainLibrarySource | undefined): Known {
  const spec = specOf(source);
  if (spec === undefined) return { description: "", version: "", steps: [], calls: [], inputs: [], missing: [] };
  return {
    description: (spec.description ?? "").trim(),
    version: spec.version ?? "1.0.0",
    steps: spec.steps.map(({ id }) => id),
    calls: callsIn(spec),
    inputs: inputsOf(spec),
    missing: [],
  };
}

function callsIn({ steps }: ChainSpec): ListedCall[] {
  return steps.map(({ id, tool = "wait", depends_on: after }) => ({
    id,
    tool,
    ...(after !== undefined && { depends_on: after }),
  }));
}

function specOf(source: ChainLibrarySource | undefined): ChainSpec | undefined {
  return source && ("spec" in source ? source.spec : parseChain(source.text, { file: source.file }).spec);
}

function inputsOf({ input = {} }: ChainSpec): { readonly name: string; readonly required: boolean }[] {
  if (Array.isArray(input)) {
    return input.map((item: unknown) => {
      const { name, required } = isRecord(item) ? item : {};
      return { name: String(name), required: required === true };
    });
  }
  return Object.entries(input).map(([name, parsedInput]) => ({ name, required: isRequired(parsedInput) }));
}

function isRequired(parsedInput: unknown): boolean {
  if (typeof parsedInput === "string") return !parsedInput.includes("=") && !parsedInput.trim().endsWith("?");
  return isRecord(parsedInput) && !Object.hasOwn(parsedInput, "default") && parsedInput["required"] !== false;
}

/** Lists the missing tools if they are the only problem; otherwise returns the first problem. */
function whyNot(name: string, workspace: Workspace): string | undefined {
  const errors = workspace.chains.problems(name).filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return undefined;
  const missing = errors.every(({ code }) => missingTargetCodes.has(code)) ? missingTools(name, workspace) : [];
  if (missing.length > 0) return `needs ${missing.join(", ")}`;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return `cannot run: ${toOneLine(first.message)}${more}`;
}

/** Missing tools of the chain and of the chains that it calls. */
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
