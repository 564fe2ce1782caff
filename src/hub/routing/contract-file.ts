import { isFailureError, definedOnly } from "../../base/index.ts";
import { type Select, type ValueReference, compileSelect, compileValue, isExpressionError } from "../../expr/index.ts";
import { FileReport, type JsonSchema, type SyncSchema, fromJsonSchema, isRecord } from "../../schema/index.ts";
import { type Problem, type YamlPath, hasErrors, parseYaml, stripUnsafe, suggestHint } from "../../text/index.ts";
import { readTypeSchema } from "../../tool/index.ts";
import { type MappingFault, compileResult } from "./compile-result.ts";
import { contractFileSchema } from "./contract-file-schema.ts";
import { type Contract, type MergeRule, type ToolMapping, matcherOf } from "./contract.ts";
import { capabilityName } from "./derive-capabilities.ts";
import { type ToolKind, kindOf } from "./tool-kind.ts";

/** A parsed capability file, and its problems. */
export interface ParsedContract {
  /** Undefined if the file cannot be used. */
  readonly contract: Contract | undefined;
  readonly problems: readonly Problem[];
}

/** Options of {@link parseContract}. */
export interface ContractFileOptions {
  /** Named in problems. */
  readonly file: string;
  /** Built-in contracts: a file of the same name only needs the keys that it changes. */
  readonly known?: ReadonlyMap<string, Contract>;
}

/**
 * Parses a file of `capabilities/`: the input and output of a capability, and the mappings of tools. Never throws.
 *
 * @example
 * ```ts
 * const { contract, problems } = parseContract(text, { file: "capabilities/search.yaml", known: builtInContracts() });
 * ```
 */
export function parseContract(source: string, { file, known }: ContractFileOptions): ParsedContract {
  const yaml = parseYaml(source, { file });
  const report = new FileReport(source, file, yaml);
  if (hasErrors(yaml.problems) || !report.check(yaml.value, contractFileSchema, []) || !isRecord(yaml.value))
    return { contract: undefined, problems: report.problems };
  const name = capabilityName(String(yaml.value["name"]));
  const contract = new ContractReader(yaml.value, report, known?.get(name)).read(name);
  const { problems } = report;
  return { contract: hasErrors(problems) ? undefined : { ...contract, file, text: source }, problems };
}

class ContractReader {
  readonly #input: Readonly<Record<string, unknown>>;
  readonly #report: FileReport;
  readonly #base: Contract | undefined;
  /** False if the arguments cannot be known; then they are not checked. */
  #isInputKnown = true;

  constructor(provided: Readonly<Record<string, unknown>>, report: FileReport, base: Contract | undefined) {
    this.#input = provided;
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
      ...definedOnly({ output, nonEmpty, merge }),
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
      // The schema allows only the kinds.
      kind: (this.#text("kind") as ToolKind | undefined) ?? base?.kind ?? kindOf([name, ...aliases]),
    };
  }

  #text(key: string): string | undefined {
    const value = this.#input[key];
    return typeof value === "string" ? value : undefined;
  }

  #list(key: string): readonly string[] {
    const value = this.#input[key];
    // The schema allows only a list of strings.
    return Array.isArray(value) ? (value as readonly string[]) : [];
  }

  #noInput(): SyncSchema {
    if (this.#isInputKnown)
      this.#add("missing_key", [], 'the file needs the key "input": the arguments of the capability');
    return fromJsonSchema({ type: "object" });
  }

  #schema(key: "input" | "output"): SyncSchema | undefined {
    const provided = this.#input[key];
    if (provided === undefined || provided === null) return undefined;
    if (key === "input" && isShorthand(provided)) return this.#shorthand(provided);
    const json = readTypeSchema(provided, [key], this.#report);
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

  /** Arguments in the shorthand of chains: one problem for all of them is enough. */
  #shorthand(provided: Readonly<Record<string, unknown>>): undefined {
    const [[name, type] = ["", ""]] = Object.entries(provided);
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
    const provided = this.#input["merge"];
    if (!isRecord(provided)) return undefined;
    // The schema allows only strings.
    const { list, key, max_items: maxItems } = provided as { list: string; key: string; max_items?: string };
    this.#checkKey(list, keysOf(output?.json ?? {}), ["merge", "list"]);
    const items = isRecord(output?.json["properties"]) ? output.json["properties"][list] : undefined;
    if (isRecord(items)) this.#warnOfStray(`$[*]["${key}"]`, items, ["merge", "key"]);
    if (maxItems !== undefined) this.#checkKey(maxItems, keysOf(input.json), ["merge", "max_items"]);
    return { list, key, ...(maxItems !== undefined && { maxItems }) };
  }

  #tools(input: JsonSchema): ToolMapping[] {
    const provided = this.#input["tools"];
    if (!isRecord(provided)) return [];
    return Object.entries(provided).map(([pattern, value]) => {
      const path = ["tools", pattern];
      const mapping = isRecord(value) ? value : {};
      const args = this.#arguments(mapping["arguments"], input, [...path, "arguments"]);
      const result = this.#result(mapping["result"], input, [...path, "result"]);
      return { pattern, matches: matcherOf(pattern), ...args, ...result };
    });
  }

  #arguments(value: unknown, input: JsonSchema, path: YamlPath): Pick<ToolMapping, "arguments"> {
    if (value === undefined || value === null) return {};
    const compiled = compileValue(value, { missing: "drop" });
    for (const { path: at, error } of compiled.errors)
      this.#fault({ path: at, message: error.message, hint: error.hint, inside: [error.at, error.length] }, path);
    for (const { valuePath } of compiled.value.secrets)
      this.#fault(
        { path: valuePath, message: "a secret cannot be an argument here; tools read secrets by themselves" },
        path,
      );
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

  #checkReferences(
    references: readonly ValueReference[],
    { roots, input, path }: { readonly roots: readonly string[]; readonly input: JsonSchema; readonly path: YamlPath },
  ): void {
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
        const names = keysOf(input).map((name) => `input.${name}`);
        const hint = suggestHint(`input.${first}`, names);
        this.#fault({ path: valuePath, message: `the capability has no argument "${first}"`, hint, inside }, path);
      }
    }
  }

  /** A slip there is none of the format: nothing is ever found by it. */
  #warnOfStray(jsonPath: string, schema: JsonSchema, path: YamlPath): void {
    const stray = findUnknownKey(jsonPath, schema);
    if (stray === undefined) return;
    const hint = suggestHint(stray.key, stray.known) ?? `there is ${stray.known.join(", ")}`;
    const message = `there is no "${stray.key}" in \`output\`, so that nothing is ever found there`;
    this.#report.add("unknown_key", path, [message, { hint, severity: "warning" }]);
  }

  #checkKey(key: string, known: readonly string[], path: YamlPath): void {
    if (known.includes(key)) return;
    const hint = suggestHint(key, known);
    this.#report.add("unknown_key", path, [`there is no "${key}" in the schema`, { hint }]);
  }

  #fault({ path, message, hint, inside }: MappingFault, at: YamlPath): void {
    this.#report.add("bad_expression", [...at, ...path], [message, { hint, ...(inside !== undefined && { inside }) }]);
  }

  #add(code: string, path: YamlPath, message: string): void {
    this.#report.add(code, path, [message]);
  }
}

/** `{ query: string }`, as chains describe their input: no key is of JSON Schema. */
function isShorthand(provided: unknown): provided is Readonly<Record<string, unknown>> {
  if (!isRecord(provided) || Object.keys(provided).length === 0) return false;
  return !Object.keys(provided).some((key) => wordsOfSchemas.has(key) || key.startsWith("$"));
}

const wordsOfSchemas: ReadonlySet<string> = new Set(
  "type properties required additionalProperties description title default enum const anyOf oneOf allOf not examples".split(
    " ",
  ),
);

function keysOf({ properties }: JsonSchema): readonly string[] {
  return isRecord(properties) ? Object.keys(properties) : [];
}

/** One step of a plain path: `.name`, `["name"]`, `[*]` or `[0]`. */
const step = /^(?:\.([\p{L}_][\p{L}\p{N}_]*)|\['([^'\\]*)'\]|\["([^"\\]*)"\]|\[(?:\*|\d+)\])/u;

/** The first key of a JSONPath that the schema does not have, as far as the path is simple and the schema is closed. */
function findUnknownKey(
  path: string,
  schema: JsonSchema,
): { readonly key: string; readonly known: readonly string[] } | undefined {
  let rest = path.trim().replace(/^\$/, "");
  let at: unknown = schema;
  for (let found = step.exec(rest); found !== null && isRecord(at); found = step.exec(rest)) {
    const key = found[1] ?? found[2] ?? found[3];
    const known = key === undefined ? undefined : keysIn(at);
    if (key !== undefined && known !== undefined && !known.includes(key)) return { key, known };
    at = below(at, key);
    rest = rest.slice(found[0].length);
  }
  return undefined;
}

/** The schema of a key or, without a key, of the items. */
function below({ properties, items }: JsonSchema, key: string | undefined): unknown {
  if (key === undefined) return items;
  return isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The keys of an object; undefined if it may have others, or the schema does not define them. */
function keysIn({ properties, additionalProperties }: JsonSchema): readonly string[] | undefined {
  const isOpen = !isRecord(properties) || additionalProperties === true || isRecord(additionalProperties);
  return isOpen ? undefined : Object.keys(properties);
}
