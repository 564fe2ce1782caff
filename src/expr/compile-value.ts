import { type Template, compileTemplate } from "./compile-template.ts";
import { ExpressionError, isExpressionError } from "./expression-error.ts";
import type { Evaluation } from "./frame.ts";
import { missing } from "./missing.ts";
import type { Reference } from "./reference.ts";
import type { Scope } from "./scope.ts";

/** Where in a value: `["headers", 0]`. */
export type ValuePath = readonly (string | number)[];

/** A reference, and where in the value its text stands. */
export interface ValueReference extends Reference {
  readonly valuePath: ValuePath;
}

/** A compiled value: maps and lists of templates. */
export interface CompiledValue {
  /** There is no `${…}` in it: it always has the same value. */
  readonly constant: boolean;
  readonly references: readonly ValueReference[];
  /** The secrets it passes on, and where. */
  readonly secrets: readonly { readonly name: string; readonly valuePath: ValuePath }[];
  /** The value, as JSON data with secret handles, or `missing`; throws an `ExpressionError` where there is none. */
  readonly evaluate: (scope: Scope, evaluation?: Evaluation) => unknown;
}

/** One text of a value that cannot be compiled. */
export interface ValueError {
  readonly path: ValuePath;
  readonly error: ExpressionError;
}

/** What becomes of missing values in maps: their keys are left out, or they become null. In lists they become null. */
export interface CompileValueOptions {
  readonly missing: "drop" | "null";
  /** Texts that were compiled before, by themselves: each is compiled once and then shared. */
  readonly known?: Map<string, Template>;
}

/** Values from code may be cyclic, or the same part many times over. */
const deepest = 100;
const largest = 20_000;

/**
 * Compiles any value of a file: texts are templates, maps and lists are gone through, keys are never templates. All
 * errors are collected; a text with an error evaluates to missing.
 *
 * @example
 * ```ts
 * const { value, errors } = compileValue({ q: "${input.topic}", n: 10 }, { missing: "drop" });
 * value.evaluate({ input: { topic: "tea" } }); // { q: "tea", n: 10 }
 * ```
 */
export function compileValue(
  value: unknown,
  options: CompileValueOptions,
): { readonly value: CompiledValue; readonly errors: readonly ValueError[] } {
  const compiler = new ValueCompiler(options);
  const { references, secrets, errors } = compiler;
  const part = compiler.compile(value, []);
  const evaluate: Evaluate = isConstant(part) ? () => part.constant : part;
  return { value: { constant: isConstant(part), references, secrets, evaluate }, errors };
}

type Evaluate = (scope: Scope, evaluation?: Evaluation) => unknown;

/** A part that always has the same value is kept as it is and never gone through again. */
type Part = Evaluate | { readonly constant: unknown };

function isConstant(part: Part): part is { readonly constant: unknown } {
  return typeof part === "object";
}

class ValueCompiler {
  readonly references: ValueReference[] = [];
  readonly secrets: { readonly name: string; readonly valuePath: ValuePath }[] = [];
  readonly errors: ValueError[] = [];
  readonly #dropsMissing: boolean;
  readonly #known: Map<string, Template>;
  #parts = 0;

  constructor({ missing, known = new Map() }: CompileValueOptions) {
    this.#dropsMissing = missing === "drop";
    this.#known = known;
  }

  compile(value: unknown, path: ValuePath): Part {
    if (typeof value === "string") return this.#text(value, path);
    if (typeof value !== "object" || value === null) return { constant: value };
    const isList = Array.isArray(value);
    if (!isList && !isPlain(value)) return { constant: value };
    if (!this.#hasRoom(path)) return { constant: missing };
    return isList ? this.#list(value, path) : this.#map(value, path);
  }

  #text(text: string, path: ValuePath): Part {
    if (!text.includes("${")) return { constant: text };
    let template: Template;
    try {
      template = this.#known.get(text) ?? compileTemplate(text);
    } catch (error) {
      if (!isExpressionError(error)) throw error;
      this.errors.push({ path, error });
      return { constant: missing };
    }
    this.#known.set(text, template);
    if (template.constant) return { constant: template.literal };
    for (const reference of template.references) this.references.push({ ...reference, valuePath: path });
    for (const name of template.secrets) this.secrets.push({ name, valuePath: path });
    return template.mayFail ? located(template, path) : template.evaluate;
  }

  #list(list: readonly unknown[], path: ValuePath): Part {
    const parts = list.map((item, index) => this.compile(item, [...path, index]));
    if (parts.every((part, index) => isConstant(part) && part.constant === list[index])) return { constant: list };
    const evaluates = parts.map(evaluateOf);
    return (scope, evaluation) =>
      evaluates.map((evaluate) => {
        const value = evaluate(scope, evaluation);
        return value === missing ? null : value;
      });
  }

  #map(map: Readonly<Record<string, unknown>>, path: ValuePath): Part {
    const keys = Object.keys(map);
    const parts = keys.map((key) => this.compile(map[key], [...path, key]));
    if (parts.every((part, index) => isConstant(part) && part.constant === map[keys[index] ?? ""]))
      return { constant: map };
    const entries = keys.map((key, index) => ({ key, evaluate: evaluateOf(parts[index] ?? { constant: missing }) }));
    const drops = this.#dropsMissing;
    return (scope, evaluation) => {
      const result: Record<string, unknown> = {};
      for (const { key, evaluate } of entries) {
        const value = evaluate(scope, evaluation);
        if (value !== missing) put(result, key, value);
        else if (!drops) put(result, key, null);
      }
      return result;
    };
  }

  #hasRoom(path: ValuePath): boolean {
    if (path.length <= deepest && ++this.#parts <= largest) return true;
    // Once is enough: a value that is too large is so in many places.
    if (this.errors.some(({ error }) => error.fault === "too_deep" || error.fault === "too_complex")) return false;
    const deep = path.length > deepest;
    const message = deep
      ? `a value may nest at most ${deepest} levels deep`
      : `a value may have at most ${largest} maps and lists`;
    const error = new ExpressionError(deep ? "too_deep" : "too_complex", message, { at: 0, end: 0 });
    this.errors.push({ path, error });
    return false;
  }
}

/** Says where in the value an evaluation failed. */
function located(template: Template, path: ValuePath): Evaluate {
  return (scope, evaluation) => {
    try {
      return template.evaluate(scope, evaluation);
    } catch (error) {
      throw isExpressionError(error) ? error.inValue(path) : error;
    }
  };
}

function evaluateOf(part: Part): Evaluate {
  return isConstant(part) ? () => part.constant : part;
}

function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A key named __proto__ is data like others; assigning it would set the prototype. */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
