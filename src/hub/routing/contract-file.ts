import { isFailureError } from "../../base/index.ts";
import { type Select, type ValueReference, compileSelect, compileValue, isExpressionError } from "../../expr/index.ts";
import { FileReport, type JsonSchema, type SyncSchema, fromJsonSchema, isMap, isRecord } from "../../schema/index.ts";
import { type Problem, type YamlPath, hasErrors, parseYaml, stripUnsafe, suggest } from "../../text/index.ts";
import { readShape } from "../../tool/index.ts";
import { type MappingFault, compileResult } from "./compile-result.ts";
import { contractFileSchema } from "./contract-file-schema.ts";
import { type Contract, type MergeRule, type ToolMapping, matcherOf } from "./contract.ts";
import { capabilityName } from "./derive-capabilities.ts";
import { strayKey } from "./stray-key.ts";
import { type ToolKind, kindOf } from "./tool-kind.ts";

/** A file of a capability, and what is wrong with it. */
export interface ParsedContract {
  /** Undefined where the file cannot be used. */
  readonly contract: Contract | undefined;
  readonly problems: readonly Problem[];
}

/** What {@link parseContract} takes besides the text. */
export interface ContractFileOptions {
  /** Named in problems. */
  readonly file: string;
  /** Contracts that are built in: a file of the same name need only say what it adds. */
  readonly known?: ReadonlyMap<string, Contract>;
}

/**
 * Reads a file of `capabilities/`: what a capability takes and gives, and how tools serve it. Never throws.
 *
 * @example
 * ```ts
 * const { contract, problems } = parseContract(text, { file: "capabilities/search.yaml", known: builtInContracts() });
 * ```
 */
export function parseContract(source: string, { file, known }: ContractFileOptions): ParsedContract {
  const yaml = parseYaml(source, { file });
  const report = new FileReport(source, file, yaml);
  if (hasErrors(yaml.problems) || !report.check(yaml.value, contractFileSchema, []) || !isMap(yaml.value))
    return { contract: undefined, problems: report.problems };
  const name = capabilityName(String(yaml.value["name"]));
  const contract = new ContractReader(yaml.value, report, known?.get(name)).read(name);
  const { problems } = report;
  return { contract: hasErrors(problems) ? undefined : { ...contract, file, text: source }, problems };
}

class ContractReader {
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #report: FileReport;
  readonly #base: Contract | undefined;
  /** Nothing is said about arguments that cannot be known. */
  #isInputKnown = true;

  constructor(given: Readonly<Record<string, unknown>>, report: FileReport, base: Contract | undefined) {
    this.#given = given;
    this.#report = report;
    this.#base = base;
  }

  read(name: string): Contract {
    const base = this.#base;
    if (/[\s:]/.test(name)) this.#add("bad_value", ["name"], "a capability is one word without colons");
    const input = this.#schema("input") ?? base?.input ?? this.#noInput();
    const output = this.#schema("output") ?? base?.output;
    const nonEmpty = this.#nonEmpty(output);
    const merge = this.#merge(input, output);
    return {
      ...base,
      ...this.#words(name),
      ...(output !== undefined && { output }),
      ...(nonEmpty !== undefined && { nonEmpty }),
      ...(merge !== undefined && { merge }),
      input,
      tools: this.#tools(input.json).concat(base?.tools ?? []),
    };
  }

  #words(name: string): Pick<Contract, "name" | "description" | "aliases" | "kind"> {
    const base = this.#base;
    const aliases = new Set([...(base?.aliases ?? []), ...this.#list("aliases").map(capabilityName)]);
    aliases.delete(name);
    return {
      name,
      description: stripUnsafe(this.#text("description") ?? base?.description ?? `Does what tools for ${name} do.`),
      aliases: [...aliases],
      // The words of the format are the kinds.
      kind: (this.#text("kind") as ToolKind | undefined) ?? base?.kind ?? kindOf([name, ...aliases]),
    };
  }

  #text(key: string): string | undefined {
    const value = this.#given[key];
    return typeof value === "string" ? value : undefined;
  }

  #list(key: string): readonly string[] {
    const value = this.#given[key];
    // The format says that it is a list of texts.
    return Array.isArray(value) ? (value as readonly string[]) : [];
  }

  #noInput(): SyncSchema {
    if (this.#isInputKnown)
      this.#add("missing_key", [], 'the file needs the key "input": what callers of the capability pass');
    return fromJsonSchema({ type: "object" });
  }

  #schema(key: "input" | "output"): SyncSchema | undefined {
    const given = this.#given[key];
    if (given === undefined || given === null) return undefined;
    if (key === "input" && isShorthand(given)) return this.#shorthand(given);
    const json = readShape(given, [key], this.#report);
    if (key === "input" && json["type"] !== "object") {
      this.#add("wrong_type", [key], "`input` describes an object: arguments have names");
      return fromJsonSchema({ type: "object" });
    }
    try {
      return fromJsonSchema(json);
    } catch (error) {
      if (!isFailureError(error)) throw error;
      this.#add("bad_schema", [key], error.message);
      return fromJsonSchema({});
    }
  }

  /** Arguments as chains write them: one word about it is enough. */
  #shorthand(given: Readonly<Record<string, unknown>>): undefined {
    const [[name, type] = ["", ""]] = Object.entries(given);
    const shown = typeof type === "string" ? type : "…";
    const hint = `write input: { type: object, properties: { ${name}: { type: ${shown} } } }`;
    this.#report.add("wrong_type", ["input"], ["`input` of a capability is a JSON Schema", { hint, part: "key" }]);
    this.#isInputKnown = false;
    return undefined;
  }

  #nonEmpty(output: SyncSchema | undefined): Select | undefined {
    const path = this.#text("non_empty");
    if (path === undefined) return undefined;
    if (output !== undefined) this.#warnOfStray(path, output.json, ["non_empty"]);
    try {
      return compileSelect(path);
    } catch (error) {
      if (!isExpressionError(error)) throw error;
      const { message, hint, at, length } = error;
      this.#report.add("bad_expression", ["non_empty"], [message, { hint, inside: [at, length] }]);
      return undefined;
    }
  }

  #merge(input: SyncSchema, output: SyncSchema | undefined): MergeRule | undefined {
    const given = this.#given["merge"];
    if (!isMap(given)) return undefined;
    // The format says that they are texts.
    const { list, key, most } = given as { list: string; key: string; most?: string };
    this.#checkKey(list, keysOf(output?.json ?? {}), ["merge", "list"]);
    const items = isRecord(output?.json["properties"]) ? output.json["properties"][list] : undefined;
    if (isRecord(items)) this.#warnOfStray(`$[*]["${key}"]`, items, ["merge", "key"]);
    if (most !== undefined) this.#checkKey(most, keysOf(input.json), ["merge", "most"]);
    return { list, key, ...(most !== undefined && { most }) };
  }

  #tools(input: JsonSchema): ToolMapping[] {
    const given = this.#given["tools"];
    if (!isMap(given)) return [];
    return Object.entries(given).map(([pattern, value]) => {
      const path = ["tools", pattern];
      const mapping = isMap(value) ? value : {};
      const args = this.#arguments(mapping["arguments"], input, [...path, "arguments"]);
      const result = this.#result(mapping["result"], input, [...path, "result"]);
      return { pattern, matches: matcherOf(pattern), ...args, ...result };
    });
  }

  #arguments(value: unknown, input: JsonSchema, path: YamlPath): Pick<ToolMapping, "arguments"> {
    if (value === undefined || value === null) return {};
    const compiled = compileValue(value, { missing: "drop" });
    for (const { path: at, error } of compiled.errors) this.#fault({ ...faultOf(error), path: at }, path);
    for (const { valuePath } of compiled.value.secrets)
      this.#fault({ path: valuePath, message: "a secret is no argument here; tools read secrets by themselves" }, path);
    this.#checkReferences(compiled.value.references, { roots: ["input"], input, path });
    return { arguments: compiled.value };
  }

  #result(value: unknown, input: JsonSchema, path: YamlPath): Pick<ToolMapping, "result"> {
    if (value === undefined) return {};
    const { mapping, faults, references } = compileResult(value);
    for (const fault of faults) this.#fault(fault, path);
    this.#checkReferences(references, { roots: ["item", "index", "input"], input, path });
    return { result: mapping };
  }

  #checkReferences(references: readonly ValueReference[], { roots, input, path }: Allowed): void {
    for (const {
      root,
      text,
      at,
      length,
      valuePath,
      path: [first],
    } of references) {
      const inside = [at, length] as const;
      if (!roots.includes(root)) {
        const message = `"${text}" is not known here; ${roots.join(", ")} ${roots.length > 1 ? "are" : "is"}`;
        this.#fault({ path: valuePath, message, inside }, path);
      } else if (
        this.#isInputKnown &&
        root === "input" &&
        typeof first === "string" &&
        !keysOf(input).includes(first)
      ) {
        const near = suggest(first, keysOf(input));
        const hint = near === undefined ? undefined : `did you mean "input.${near}"?`;
        this.#fault({ path: valuePath, message: `the capability has no argument "${first}"`, hint, inside }, path);
      }
    }
  }

  /** A slip there is none of the format: nothing is ever found by it. */
  #warnOfStray(jsonPath: string, schema: JsonSchema, path: YamlPath): void {
    const stray = strayKey(jsonPath, schema);
    if (stray === undefined) return;
    const near = suggest(stray.key, stray.known);
    const hint = near === undefined ? `there is ${stray.known.join(", ")}` : `did you mean "${near}"?`;
    const message = `there is no "${stray.key}" in \`output\`, so that nothing is ever found there`;
    this.#report.add("unknown_key", path, [message, { hint, severity: "warning" }]);
  }

  #checkKey(key: string, known: readonly string[], path: YamlPath): void {
    if (known.includes(key)) return;
    const near = suggest(key, known);
    const hint = near === undefined ? undefined : `did you mean "${near}"?`;
    this.#report.add("unknown_key", path, [`there is no "${key}" in the schema`, { hint }]);
  }

  #fault({ path, message, hint, inside }: MappingFault, at: YamlPath): void {
    this.#report.add("bad_expression", [...at, ...path], [message, { hint, ...(inside !== undefined && { inside }) }]);
  }

  #add(code: string, path: YamlPath, message: string): void {
    this.#report.add(code, path, [message]);
  }
}

/** `{ query: string }`, as chains describe their input: not one word of it is of JSON Schema. */
function isShorthand(given: unknown): given is Readonly<Record<string, unknown>> {
  if (!isRecord(given) || Object.keys(given).length === 0) return false;
  return !Object.keys(given).some((key) => wordsOfSchemas.has(key) || key.startsWith("$"));
}

const wordsOfSchemas: ReadonlySet<string> = new Set(
  "type properties required additionalProperties description title default enum const anyOf oneOf allOf not examples".split(
    " ",
  ),
);

interface Allowed {
  readonly roots: readonly string[];
  readonly input: JsonSchema;
  readonly path: YamlPath;
}

function faultOf(error: {
  message: string;
  hint: string | undefined;
  at: number;
  length: number;
}): Omit<MappingFault, "path"> {
  return { message: error.message, hint: error.hint, inside: [error.at, error.length] };
}

function keysOf({ properties }: JsonSchema): readonly string[] {
  return isRecord(properties) ? Object.keys(properties) : [];
}
