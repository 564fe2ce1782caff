import {
  type CompiledValue,
  type ExpressionError,
  type Select,
  type ValuePath,
  type ValueReference,
  compileSelect,
  compileValue,
  isExpressionError,
  missing,
} from "../../expr/index.ts";
import { isRecord, setOwn } from "../../schema/index.ts";

/** Maps the output of a tool to that of the contract. */
export interface ResultMapping {
  /** The output of the contract; throws an `ExpressionError` if it cannot be mapped. */
  readonly map: (scope: ResultScope) => unknown;
}

/** Scope of the expressions of a mapping: `item` is the tool's output, or inside of `as` one item of its list. */
export interface ResultScope {
  readonly item: unknown;
  readonly index?: number;
  /** The arguments of the contract. */
  readonly input: unknown;
}

/** An error in a mapping, and its position. */
export interface MappingFault {
  readonly path: ValuePath;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Inside of the text at that path. */
  readonly inside?: readonly [offset: number, length: number];
}

/** A mapping and everything that was found in it. */
export interface CompiledResult {
  readonly mapping: ResultMapping;
  readonly faults: readonly MappingFault[];
  readonly references: readonly ValueReference[];
}

type Part = (scope: ResultScope) => unknown;

/** Longer lists are cut: every item costs an evaluation. */
const maxItems = 1_000;

/**
 * Compiles what `result:` says: a value with `${…}`, where `{ select: JSONPath }` picks out of the tool's output, and
 * `{ each: list, as: value }` makes a value of every item of a list.
 *
 * @example
 * ```ts
 * const { mapping } = compileResult({ results: { each: "${item.hits}", as: { title: "${item.name}" } } });
 * mapping.map({ item: { hits: [{ name: "a" }] }, input: {} }); // { results: [{ title: "a" }] }
 * ```
 */
export function compileResult(value: unknown): CompiledResult {
  const compiler = new ResultCompiler();
  const part = compiler.compile(value, []);
  const map: Part = (scope) => {
    const made = part(scope);
    return made === missing ? null : made;
  };
  return { mapping: { map }, faults: compiler.faults, references: compiler.references };
}

class ResultCompiler {
  readonly faults: MappingFault[] = [];
  readonly references: ValueReference[] = [];

  compile(value: unknown, path: ValuePath): Part {
    if (Array.isArray(value)) return this.#list(value, path);
    if (!isRecord(value)) return this.#plain(value, path);
    const keys = Object.keys(value);
    if (keys.length === 1 && keys[0] === "select") return this.#select(value["select"], [...path, "select"]);
    if (Object.hasOwn(value, "each")) return this.#each(value, path);
    return this.#map(value, path);
  }

  #plain(value: unknown, path: ValuePath): Part {
    const compiled = compileValue(value, { missing: "drop" });
    for (const { error } of compiled.errors) this.#fault(error, path);
    this.#refuseSecrets(compiled.value, path);
    this.references.push(...compiled.value.references.map((found) => ({ ...found, valuePath: path })));
    return (scope) => compiled.value.evaluate(scope);
  }

  #select(value: unknown, path: ValuePath): Part {
    if (typeof value !== "string") return this.#wrong(path, "`select` takes a JSONPath, such as $.results[*]");
    try {
      const select: Select = compileSelect(value);
      return ({ item }) => select.select(item);
    } catch (error) {
      if (!isExpressionError(error)) throw error;
      this.#fault(error, path);
      return () => missing;
    }
  }

  #each(value: Readonly<Record<string, unknown>>, path: ValuePath): Part {
    const extra = Object.keys(value).find((key) => key !== "each" && key !== "as");
    if (extra !== undefined) return this.#wrong([...path, extra], "`each` allows only `as` beside it");
    if (!Object.hasOwn(value, "as")) return this.#wrong(path, "`each` needs `as`, the value for every item");
    const list = this.compile(value["each"], [...path, "each"]);
    const as = this.compile(value["as"], [...path, "as"]);
    return (scope) => {
      const items = list(scope);
      if (items === missing || items === null) return [];
      // A single value instead of a list is a list of one: some services return that.
      const all: readonly unknown[] = Array.isArray(items) ? items : [items];
      return all.slice(0, maxItems).map((item, index) => {
        const made = as({ item, index, input: scope.input });
        return made === missing ? null : made;
      });
    };
  }

  #list(list: readonly unknown[], path: ValuePath): Part {
    const parts = list.map((item, index) => this.compile(item, [...path, index]));
    return (scope) =>
      parts.map((part) => {
        const made = part(scope);
        return made === missing ? null : made;
      });
  }

  #map(map: Readonly<Record<string, unknown>>, path: ValuePath): Part {
    const parts = Object.entries(map).map(([key, item]) => ({ key, part: this.compile(item, [...path, key]) }));
    return (scope) => {
      const made: Record<string, unknown> = {};
      for (const { key, part } of parts) {
        const value = part(scope);
        if (value !== missing) setOwn(made, key, value);
      }
      return made;
    };
  }

  #refuseSecrets({ secrets }: CompiledValue, path: ValuePath): void {
    if (secrets.length > 0) this.#wrong(path, "a result must not contain a secret");
  }

  #fault({ message, hint, at, length }: ExpressionError, path: ValuePath): void {
    this.faults.push({ path, message, hint, inside: [at, length] });
  }

  #wrong(path: ValuePath, message: string): Part {
    this.faults.push({ path, message });
    return () => missing;
  }
}
