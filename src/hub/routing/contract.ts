import { type Failure, nameGlob } from "../../base/index.ts";
import { type CompiledValue, type Select, isExpressionError } from "../../expr/index.ts";
import type { SyncSchema } from "../../schema/index.ts";
import type { Registration } from "../../tool/index.ts";
import type { ResultMapping } from "./compile-result.ts";
import type { ToolKind } from "./tool-kind.ts";

/** How results of several tools become one list. */
export interface MergeRule {
  /** The key of the output that holds the list. */
  readonly list: string;
  /** The key of an item by which two are the same; addresses are compared as pages. */
  readonly key: string;
  /** The argument that says how many are wanted. */
  readonly most?: string;
}

/** How one tool serves a contract: what it is called with, and what its output becomes. */
export interface ToolMapping {
  /** A name of tools with `*` for any part, or `source:mcps`. */
  readonly pattern: string;
  readonly matches: (registration: Registration, name: string) => boolean;
  /** `input` has the arguments of the contract. The very same where absent, as far as the tool knows them. */
  readonly arguments?: CompiledValue;
  readonly result?: ResultMapping;
}

/** What every tool of a capability takes and gives, whatever it takes and gives by itself. */
export interface Contract {
  /** Of the capability. */
  readonly name: string;
  readonly description: string;
  /** Other names of the same capability. */
  readonly aliases: readonly string[];
  readonly kind: ToolKind;
  readonly input: SyncSchema;
  readonly output?: SyncSchema;
  /** What must not be empty in an output, for it to count. */
  readonly nonEmpty?: Select;
  readonly merge?: MergeRule;
  /** The first that matches counts. */
  readonly tools: readonly ToolMapping[];
  /** Where it was written; undefined for one that is built in. */
  readonly file?: string;
  /** What is written there. */
  readonly text?: string;
  /** Why nobody can serve it: its file cannot be used, and without its mappings tools would be called at random. */
  readonly broken?: Failure;
}

/** The pattern of a mapping as a test of tools. */
export function matcherOf(pattern: string): ToolMapping["matches"] {
  if (pattern.startsWith("source:")) return ({ source }) => source === pattern.slice("source:".length);
  const fits = nameGlob(pattern);
  return (_registration, name) => fits(name);
}

/** How a tool serves a contract, if anybody said so. */
export function mappingFor(
  contract: Contract,
  registration: Registration,
  name: string = registration.tool.name,
): ToolMapping | undefined {
  const exact = contract.tools.find(({ pattern }) => pattern === name);
  return exact ?? contract.tools.find(({ matches }) => matches(registration, name));
}

/** Has an output nothing in it that the contract asks for? */
export function isEmptyFor({ nonEmpty }: Pick<Contract, "nonEmpty">, output: unknown): boolean {
  try {
    return isNothing(nonEmpty === undefined ? output : nonEmpty.select(output));
  } catch (error) {
    // What is too large to be looked through is not empty.
    if (isExpressionError(error)) return false;
    throw error;
  }
}

/** Null, an empty text, list or object, and what is missing. */
export function isNothing(value: unknown): boolean {
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
