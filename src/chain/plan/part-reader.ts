import {
  type CompiledValue,
  type Condition,
  type ExpressionError,
  type Reference,
  type Select,
  type Template,
  compileCondition,
  compileSelect,
  compileTemplate,
  compileValue,
  isExpressionError,
} from "../../expr/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";

interface RoleRules {
  /** The step waits for the steps that it refers to. */
  readonly waits: boolean;
  /** The step cannot run without the output that it refers to. */
  readonly reads: boolean;
  /** The step may refer to itself. */
  readonly self: boolean;
  /** Evaluated for each item, so that `item` and `index` are available. */
  readonly items: boolean;
  /** `error` is available. */
  readonly error: boolean;
}

/** Roles of expressions: what an expression may read, and whether the step waits for it. */
export const expressionRoles = {
  params: { waits: true, reads: true, self: false, items: true, error: false },
  condition: { waits: true, reads: false, self: false, items: false, error: false },
  for_each: { waits: true, reads: true, self: false, items: false, error: false },
  until: { waits: true, reads: false, self: true, items: true, error: false },
  cache: { waits: true, reads: true, self: false, items: true, error: false },
  approval: { waits: true, reads: true, self: false, items: false, error: false },
  retry: { waits: false, reads: false, self: true, items: true, error: true },
  fallback: { waits: false, reads: false, self: true, items: true, error: true },
  compensate: { waits: false, reads: false, self: true, items: false, error: false },
  output: { waits: false, reads: false, self: true, items: false, error: false },
} as const;

expressionRoles satisfies Record<string, RoleRules>;

/** Role of an expression. */
export type ExpressionRole = keyof typeof expressionRoles;

/** One reference of the chain, and its position. */
export interface ReferenceUse {
  readonly reference: Reference;
  readonly role: ExpressionRole;
  /** Path of the text that holds it. */
  readonly path: YamlPath;
}

/** Compiles the expressions of one step, reports their problems and collects their references. */
export class PartReader {
  readonly uses: ReferenceUse[] = [];
  readonly #report: ChainReport;
  /** Many steps of a chain contain the same expressions: they share one compiled template in memory. */
  readonly #known: Map<string, Template>;

  constructor(report: ChainReport, known: Map<string, Template> = new Map()) {
    this.#report = report;
    this.#known = known;
  }

  /** Returns a reader for another part of the same chain. */
  another(): PartReader {
    return new PartReader(this.#report, this.#known);
  }

  value(rawValue: unknown, path: YamlPath, role: ExpressionRole): CompiledValue {
    // In an output, null stands for a missing value, because a key that comes and goes is hard to rely on.
    const { value, errors } = compileValue(rawValue, {
      missing: role === "output" ? "null" : "drop",
      // A list, or an output that is one expression, keeps its type in a YAML block too.
      trims: role === "output" || role === "for_each",
      known: this.#known,
    });
    for (const { path: inner, error } of errors) this.#refuse(error, [...path, ...inner]);
    for (const reference of value.references) {
      this.#use({ reference, role, path: [...path, ...reference.valuePath] });
    }
    return value;
  }

  /** A secret is passed only to tools: a value that is stored, shown or compared would reveal it. */
  #use(use: ReferenceUse): void {
    const { reference, role, path } = use;
    this.uses.push(use);
    if (reference.root !== "secret" || passesSecrets.has(role)) return;
    const hint = `use it as a whole parameter of a tool: \${${reference.text}}`;
    const inside = [reference.at, reference.length] as const;
    this.#report.add("secret_misused", path, ["a secret can only be passed to a tool", { hint, inside }]);
  }

  condition(rawValue: string | boolean | undefined, path: YamlPath, role: ExpressionRole): Condition | undefined {
    // `true` is the same as no condition.
    if (rawValue === undefined || rawValue === true) return undefined;
    return this.#compile(compileCondition, String(rawValue), { path, role });
  }

  template(rawValue: string, path: YamlPath, role: ExpressionRole): Template | undefined {
    return this.#compile(compileTemplate, rawValue, { path, role });
  }

  select(rawValue: string | undefined, path: YamlPath): Select | undefined {
    if (rawValue === undefined) return undefined;
    try {
      return compileSelect(rawValue);
    } catch (error) {
      this.#refuse(error, path);
      return undefined;
    }
  }

  #compile<T extends { readonly references: readonly Reference[] }>(
    compile: (text: string) => T,
    text: string,
    { path, role }: { readonly path: YamlPath; readonly role: ExpressionRole },
  ): T | undefined {
    try {
      const compiled = compile(text);
      for (const reference of compiled.references) this.#use({ reference, role, path });
      return compiled;
    } catch (error) {
      this.#refuse(error, path);
      return undefined;
    }
  }

  #refuse(error: unknown, path: YamlPath): void {
    if (!isExpressionError(error)) throw error;
    const { message, hint, at, length } = error;
    const inside = [at, Math.max(1, length)] as const;
    this.#report.add(codeOf(error), path, [message, { hint: hint ?? hints.get(error.fault), inside }]);
  }
}

/** Roles in which a whole `${secret.NAME}` reaches a tool. */
const passesSecrets: ReadonlySet<ExpressionRole> = new Set(["params", "fallback", "compensate"]);

/** Hints for errors that have no better one of their own. */
const hints: ReadonlyMap<string, string> = new Map([
  ["syntax", "complete the expression, or write $${ for a literal ${"],
  ["select_syntax", "a JSONPath starts with $, such as $.results[*].url"],
]);

/** The problem code for the fault of an expression. */
function codeOf({ fault }: ExpressionError): string {
  if (fault === "syntax") return "bad_expression";
  return fault === "select_syntax" ? "bad_select" : fault;
}

/** Position of one segment of a reference: offset in the compiled text, and length. */
export function segmentRange(reference: Reference, index: number): readonly [offset: number, length: number] {
  const { text, at, length, root, path } = reference;
  let from = root.length;
  for (const [step, part] of path.entries()) {
    const end = text[from] === "." ? nameEnd(text, from + 1, part) : bracketEnd(text, from);
    // Written in an unusual way, with spaces between: the whole reference is used.
    if (end === undefined) break;
    if (step === index) return text[from] === "." ? [at + from + 1, end - from - 1] : [at + from, end - from];
    from = end;
  }
  return [at, length];
}

function nameEnd(text: string, from: number, name: unknown): number | undefined {
  return typeof name === "string" && text.startsWith(name, from) ? from + name.length : undefined;
}

/** Quoted strings, brackets, and the text between. */
const piece = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[[\]]|[^[\]"']+/sy;

/** The end of the `[…]` that starts at `from`, including nested brackets. */
function bracketEnd(text: string, from: number): number | undefined {
  let depth = 0;
  piece.lastIndex = from;
  for (let found = piece.exec(text)?.[0]; found !== undefined; found = piece.exec(text)?.[0]) {
    if (found === "[") depth++;
    else if (found === "]") depth--;
    if (depth === 0) return found === "]" ? piece.lastIndex : undefined;
  }
  return undefined;
}
