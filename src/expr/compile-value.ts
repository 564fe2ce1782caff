import { isPlainObject } from "../base/index.ts";
import { setOwn } from "../schema/index.ts";
import { type Template, compileTemplate } from "./compile-template.ts";
import { ExpressionError, isExpressionError } from "./expression-error.ts";
import type { Evaluation } from "./evaluation-frame.ts";
import { missing, type Scope } from "./scope.ts";
import type { Reference } from "./reference.ts";

/** Path in a value: `["headers", 0]`. */
export type ValuePath = readonly (string | number)[];

/** A reference, with the path of its text in the value. */
export interface ValueReference extends Reference {
  readonly valuePath: ValuePath;
}

/** A compiled value: maps and lists of templates. */
export interface CompiledValue {
  /** True if it contains no `${…}`, so that its value is constant. */
  readonly constant: boolean;
  readonly references: readonly ValueReference[];
  /** The secrets it passes on, with their paths. */
  readonly secrets: readonly { readonly name: string; readonly valuePath: ValuePath }[];
  /** The value, as JSON data with secret handles, or `missing`; throws an `ExpressionError` if evaluation fails. */
  readonly evaluate: (scope: Scope, evaluation?: Evaluation) => unknown;
}

/** One text of a value that cannot be compiled. */
export interface ValueError {
  readonly path: ValuePath;
  readonly error: ExpressionError;
}

/** Handling of missing values in maps: their keys are omitted, or they become null. In lists they become null. */
export interface CompileValueOptions {
  readonly missing: "drop" | "null";
  /** White space around a single `${…}` does not make it a text. */
  readonly trims?: boolean;
  /** Texts that were already compiled: each is compiled once and then shared. */
  readonly known?: Map<string, Template>;
}

/** Values from code may be cyclic, or contain the same part many times over. */
const maxDepth = 100;
const maxSize = 20_000;

/**
 * Compiles any value of a file: texts are templates, maps and lists are traversed, keys are never templates. All
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

/** A part with a constant value is reused and never evaluated again. */
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
  readonly #trims: boolean;
  #parts = 0;

  constructor({ missing, trims = false, known = new Map() }: CompileValueOptions) {
    this.#trims = trims;
    this.#dropsMissing = missing === "drop";
    this.#known = known;
  }

  compile(value: unknown, path: ValuePath): Part {
    if (typeof value === "string") return this.#text(value, path);
    if (typeof value !== "object" || value === null) return { constant: value };
    const isList = Array.isArray(value);
    if (!isList && !isPlainObject(value)) return { constant: value };
    if (!this.#hasRoom(path)) return { constant: missing };
    return isList ? this.#list(value, path) : this.#map(value, path);
  }

  #text(text: string, path: ValuePath): Part {
    if (!text.includes("${")) return { constant: text };
    // White space has another meaning if it is trimmed.
    const key = this.#trims && text !== text.trim() ? `trimmed ${text}` : text;
    let template: Template;
    try {
      template = this.#known.get(key) ?? compileTemplate(text, { trims: this.#trims });
    } catch (error) {
      if (!isExpressionError(error)) throw error;
      this.errors.push({ path, error });
      return { constant: missing };
    }
    this.#known.set(key, template);
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
        if (value !== missing) setOwn(result, key, value);
        else if (!drops) setOwn(result, key, null);
      }
      return result;
    };
  }

  #hasRoom(path: ValuePath): boolean {
    if (path.length <= maxDepth && ++this.#parts <= maxSize) return true;
    // Reported once: a value that is too large is so in many positions.
    if (this.errors.some(({ error }) => error.fault === "too_deep" || error.fault === "too_complex")) return false;
    const deep = path.length > maxDepth;
    const message = deep
      ? `a value may nest at most ${maxDepth} levels deep`
      : `a value may have at most ${maxSize} maps and lists`;
    const error = new ExpressionError(deep ? "too_deep" : "too_complex", message, { at: 0, end: 0 });
    this.errors.push({ path, error });
    return false;
  }
}

/** Adds the path in the value to the error of an evaluation. */
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
