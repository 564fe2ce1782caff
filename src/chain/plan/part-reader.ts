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

/** What an expression is for; it decides what the expression may read and whether the step waits for it. */
export type Role =
  | "params"
  | "condition"
  | "for_each"
  | "until"
  | "cache"
  | "approval"
  | "retry"
  | "fallback"
  | "compensate"
  | "output";

/** One reference of the chain, and where it stands. */
export interface Use {
  readonly reference: Reference;
  readonly role: Role;
  /** Of the text that holds it. */
  readonly path: YamlPath;
}

/** Compiles the expressions of one step, reports what is wrong with them and keeps what they refer to. */
export class PartReader {
  readonly uses: Use[] = [];
  readonly #report: ChainReport;
  /** Many steps of a chain refer to the same: what they share, a run finds at one place in memory. */
  readonly #known: Map<string, Template>;

  constructor(report: ChainReport, known: Map<string, Template> = new Map()) {
    this.#report = report;
    this.#known = known;
  }

  /** For another part of the same chain. */
  another(): PartReader {
    return new PartReader(this.#report, this.#known);
  }

  value(given: unknown, path: YamlPath, role: Role): CompiledValue {
    // In an output null stands for what is missing, as a key that comes and goes is hard to rely on.
    const { value, errors } = compileValue(given, {
      missing: role === "output" ? "null" : "drop",
      known: this.#known,
    });
    for (const { path: inner, error } of errors) this.#refuse(error, [...path, ...inner]);
    for (const reference of value.references) {
      this.#use({ reference, role, path: [...path, ...reference.valuePath] });
    }
    return value;
  }

  /** A secret goes to tools and nowhere else: what is kept, shown or compared would give it away. */
  #use(use: Use): void {
    const { reference, role, path } = use;
    this.uses.push(use);
    if (reference.root !== "secret" || passesSecrets.has(role)) return;
    const hint = `pass it on as a whole parameter of a tool: \${${reference.text}}`;
    const inside = [reference.at, reference.length] as const;
    this.#report.add("secret_misused", path, ["a secret can only be passed on to a tool", { hint, inside }]);
  }

  condition(given: string | boolean | undefined, path: YamlPath, role: Role): Condition | undefined {
    // `true` is as good as none.
    if (given === undefined || given === true) return undefined;
    return this.#compile(compileCondition, String(given), { path, role });
  }

  template(given: string, path: YamlPath, role: Role): Template | undefined {
    return this.#compile(compileTemplate, given, { path, role });
  }

  select(given: string | undefined, path: YamlPath): Select | undefined {
    if (given === undefined) return undefined;
    try {
      return compileSelect(given);
    } catch (error) {
      this.#refuse(error, path);
      return undefined;
    }
  }

  #compile<T extends { readonly references: readonly Reference[] }>(
    compile: (text: string) => T,
    text: string,
    { path, role }: { readonly path: YamlPath; readonly role: Role },
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

/** Where a whole `${secret.NAME}` reaches a tool. */
const passesSecrets: ReadonlySet<Role> = new Set(["params", "fallback", "compensate"]);

/** What to try where the error itself has no better idea. */
const hints: ReadonlyMap<string, string> = new Map([
  ["syntax", "complete the expression, or write $${ for a plain ${"],
  ["select_syntax", "a JSONPath starts with $, such as $.results[*].url"],
]);

/** The word for an expression's fault among the problems of a chain. */
function codeOf({ fault }: ExpressionError): string {
  if (fault === "syntax") return "bad_expression";
  return fault === "select_syntax" ? "bad_select" : fault;
}
