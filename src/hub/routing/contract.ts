import { type Failure, nameGlob } from "../../base/index.ts";
import { type CompiledValue, type Select, compileValue, isExpressionError } from "../../expr/index.ts";
import type { SyncSchema } from "../../schema/index.ts";
import type { AnyTool, ContractMapping, Registration } from "../../tool/index.ts";
import { type ResultMapping, compileResult } from "./compile-result.ts";
import type { ToolKind } from "./tool-kind.ts";

/** Rule for merging the results of several tools to one list. */
export interface MergeRule {
  /** The key of the output that has the list. */
  readonly list: string;
  /** The key of an item by which two are the same; addresses are compared as pages. */
  readonly key: string;
  /** The argument with the requested number of items. */
  readonly maxItems?: string;
}

/** Mapping of one tool to a contract: its arguments, and the conversion of its output. */
export interface ToolMapping {
  /** A name of tools with `*` for any part, or `source:mcps`. */
  readonly pattern: string;
  readonly matches: (registration: Registration, name: string) => boolean;
  /** `input` has the arguments of the contract. Default: the same arguments, as far as the tool accepts them. */
  readonly arguments?: CompiledValue;
  readonly result?: ResultMapping;
}

/** Input and output of every tool of a capability, regardless of the tool's own. */
export interface Contract {
  /** Name of the capability. */
  readonly name: string;
  readonly description: string;
  /** Other names of the same capability. */
  readonly aliases: readonly string[];
  readonly kind: ToolKind;
  readonly input: SyncSchema;
  readonly output?: SyncSchema;
  /** Part of an output that must not be empty for it to be valid. */
  readonly nonEmpty?: Select;
  readonly merge?: MergeRule;
  /** The first that matches counts. */
  readonly tools: readonly ToolMapping[];
  /** Its file; undefined for a built-in contract. */
  readonly file?: string;
  /** Text of the file. */
  readonly text?: string;
  /**
   * The reason why it cannot be served: its file is invalid, and without its mappings tools would be called with wrong
   * arguments.
   */
  readonly broken?: Failure;
}

/** The pattern of a mapping as a test of tools. */
export function matcherOf(pattern: string): ToolMapping["matches"] {
  if (pattern.startsWith("source:")) return ({ source }) => source === pattern.slice("source:".length);
  const fits = nameGlob(pattern);
  return (_registration, name) => fits(name);
}

/**
 * The mapping of a tool to a contract, if there is one: of the contract's file by the tool's name, else the one that the tool
 * declares, else of the file by an alias or a pattern.
 */
export function mappingFor(contract: Contract, registration: Registration): ToolMapping | undefined {
  const { name, aliases } = registration.tool;
  const exact = contract.tools.find(({ pattern }) => pattern === name);
  const byAlias = registration.source === "mcps" ? undefined : (pattern: string) => aliases.includes(pattern);
  return (
    exact ??
    ownMapping(registration.tool, contract.name) ??
    contract.tools.find(({ pattern }) => byAlias?.(pattern)) ??
    contract.tools.find(({ matches }) => matches(registration, name))
  );
}

const ownMappings = new WeakMap<ContractMapping, ToolMapping>();

/** The mapping that a tool declares for a contract. */
function ownMapping({ name, contracts = {} }: AnyTool, contract: string): ToolMapping | undefined {
  const declared = Object.hasOwn(contracts, contract) ? contracts[contract] : undefined;
  if (declared === undefined) return undefined;
  const { arguments: args, result } = declared;
  const mapping = ownMappings.get(declared) ?? {
    pattern: name,
    matches: matcherOf(name),
    ...(args !== undefined && { arguments: compileValue(args, { missing: "drop" }).value }),
    ...(result !== undefined && { result: compileResult(result).mapping }),
  };
  ownMappings.set(declared, mapping);
  return mapping;
}

/** True if the part of an output that the contract requires is empty. */
export function isEmptyFor({ nonEmpty }: Pick<Contract, "nonEmpty">, output: unknown): boolean {
  try {
    return isEmptyValue(nonEmpty === undefined ? output : nonEmpty.select(output));
  } catch (error) {
    // An output that is too large to evaluate is not empty.
    if (isExpressionError(error)) return false;
    throw error;
  }
}

/** Null, undefined, or an empty text, list or object. */
export function isEmptyValue(value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return value.trim() === "";
    case "object":
      return value === null || (Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0);
    case "undefined":
    case "symbol":
      return true;
    default:
      return false;
  }
}
