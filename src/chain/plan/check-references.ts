import type { Reference } from "../../expr/index.ts";
import type { ProblemDetail } from "../../schema/index.ts";
import type { ChainReport, Names } from "./chain-report.ts";
import type { UnlinkedStep } from "./compile-step.ts";
import { type ExpressionRole, type ReferenceUse, expressionRoles, segmentRange } from "./part-reader.ts";
import type { StepSpec } from "./chain-spec.ts";
import type { StepNames } from "./step-names.ts";

/** The names that the expressions of a chain may use. */
export interface KnownNames extends StepNames {
  /** Declared inputs; undefined if they are inferred. */
  readonly inputs: ReadonlySet<string> | undefined;
  /** Environment variables that the chain declares. */
  readonly env: ReadonlySet<string>;
  /** Undefined if they are not checked. */
  readonly secrets: ReadonlySet<string> | undefined;
}

/** A step that another one waits for. */
export interface Edge {
  readonly to: number;
  /** Without its output the step is skipped. */
  readonly reads: boolean;
  readonly use: ReferenceUse;
}

const stepFields: ReadonlySet<unknown> & ReadonlySet<string> = new Set(["output", "error", "status"]);
const errorFields = new Set(["code", "message"]);
/** Fields of `error` alone, which decides about a retry. */
const failureFields = new Set(["code", "message", "retry"]);
const runFields = new Set(["id", "chain", "started_at"]);

/** Checks every reference against the known names, and collects the dependencies. */
export class ReferenceChecker {
  readonly #known: KnownNames;
  readonly #report: ChainReport;
  /** Cache of suggestions: many steps may read the same value of the caller. */
  readonly #nearAs = new Map<string, string | undefined>();

  constructor(known: KnownNames, report: ChainReport) {
    this.#known = known;
    this.#report = report;
  }

  /** The dependency that a reference creates, if any. `step` is undefined for references of the chain itself. */
  check(use: ReferenceUse, step: UnlinkedStep | undefined): Edge | undefined {
    switch (use.reference.root) {
      case "steps":
        return this.#steps(use, step);
      case "context":
        return this.#context(use, step);
      case "input":
        return this.#among(use, { names: this.#known.inputs, code: "unknown_input", noun: "input" });
      case "env":
        return this.#env(use);
      case "secret":
        return this.#among(use, { names: this.#known.secrets, code: "unknown_secret", noun: "secret" });
      case "item":
      case "index":
        return this.#item(use, step);
      case "error":
        return this.#error(use);
      case "event": {
        const hint = "it exists only in the input of a trigger; pass it on as an input of the chain";
        return this.#refuse("no_event", use, { message: "there is no event here", hint });
      }
      case "run":
        return this.#among(use, { names: runFields, code: "unknown_field", noun: "field of run" });
      default:
        return use.reference.root satisfies never;
    }
  }

  #steps(use: ReferenceUse, step: UnlinkedStep | undefined): Edge | undefined {
    const [id, field, ...rest] = use.reference.path;
    if (typeof id !== "string") return this.#unnamed(use, "step", "steps.search.output");
    const to = this.#known.byId.get(id);
    if (to === undefined) {
      const hint =
        this.#lookalike(id) ?? this.#report.suggest(id, this.#known.byId, listHint("steps", this.#known.byId));
      return this.#refuse("unknown_step", use, { message: `there is no step "${id}"`, segment: 0, hint });
    }
    if (field !== undefined && !this.#isStepField(use, field)) return undefined;
    if (field === "error" && rest.length > 0) this.#errorField(use, 2, errorFields);
    if (field === "status" && typeof rest[0] === "string") this.#statusField(use, rest[0]);
    return this.#edge(use, { to, output: field === undefined || field === "output" }, step);
  }

  /** "did you mean" would show the same word twice. */
  #lookalike(id: string): string | undefined {
    const plain = id.normalize();
    if (!this.#known.byId.keys().some((known) => known !== id && known.normalize() === plain)) return undefined;
    return "a step has an id that looks the same but uses other characters (accents); copy the id from that step";
  }

  #isStepField(use: ReferenceUse, field: Reference["path"][number]): boolean {
    if (stepFields.has(field)) return true;
    const [id] = use.reference.path;
    const written = typeof field === "string" ? field : "[…]";
    const near = typeof field === "string" ? this.#report.suggest(field, stepFields) : undefined;
    const hint = near ?? `the output of the tool is steps.${String(id)}.output`;
    const message = `a step has output, error and status, not "${written}"`;
    this.#refuse("unknown_field", use, { message, segment: 1, hint });
    return false;
  }

  #statusField(use: ReferenceUse, field: string): void {
    if (field === "size" || field === "length") return;
    const hint = 'it is a string such as "success", "skipped" or "failed"';
    this.#refuse("unknown_field", use, {
      message: `a status is a string and has no field "${field}"`,
      segment: 2,
      hint,
    });
  }

  #errorField(use: ReferenceUse, segment: number, known: ReadonlySet<string>): void {
    const field = use.reference.path[segment];
    if (typeof field !== "string" || known.has(field)) return;
    const hint = this.#report.suggest(field, known, `it has ${[...known].join(", ").replace(/, (\w+)$/, " and $1")}`);
    this.#refuse("unknown_field", use, { message: `an error has no field "${field}"`, segment, hint });
  }

  #context(use: ReferenceUse, step: UnlinkedStep | undefined): Edge | undefined {
    const [name] = use.reference.path;
    if (typeof name !== "string") return this.#unnamed(use, "value of the context", "context.user_id");
    const to = this.#known.byAs.get(name);
    if (to !== undefined) return this.#edge(use, { to, output: true }, step);
    if (!this.#nearAs.has(name)) this.#nearAs.set(name, this.#report.suggest(name, this.#known.byAs));
    const hint = this.#nearAs.get(name);
    if (hint === undefined || use.reference.guarded) return undefined;
    const message = `no step has "as: ${name}"; the caller has to provide it`;
    return this.#refuse("unknown_context", use, { message, segment: 0, hint, severity: "warning" });
  }

  #edge(
    use: ReferenceUse,
    { to, output }: { to: number; output: boolean },
    step: UnlinkedStep | undefined,
  ): Edge | undefined {
    const { waits, reads, self } = expressionRoles[use.role];
    if (step === undefined || (to === step.index && self)) return undefined;
    if (to === step.index) return this.#self(use, step);
    return waits ? { to, reads: reads && output && !use.reference.guarded, use } : undefined;
  }

  /** A repeated step may read the output of its last round; in the first round there is none yet. */
  #self(use: ReferenceUse, step: UnlinkedStep): undefined {
    const repeats = use.role === "params" && step.spec.repeat !== undefined;
    if (repeats && use.reference.guarded) return undefined;
    const hint = repeats
      ? `in the first round there is no value: write \${${use.reference.text} ?? …}`
      : "a step can only read the outputs of other steps";
    return this.#refuse("self_reference", use, { message: `the step "${step.id}" refers to itself`, hint });
  }

  #env(use: ReferenceUse): undefined {
    const [name] = use.reference.path;
    if (typeof name !== "string") return this.#unnamed(use, "variable", "env.HOME");
    if (this.#known.env.has(name)) return undefined;
    const hint = this.#report.suggest(name, this.#known.env, `add it to the chain: env: [${name.slice(0, 80)}]`);
    const message = `the chain does not declare the environment variable "${name}"`;
    return this.#refuse("env_not_declared", use, { message, segment: 0, hint });
  }

  #item(use: ReferenceUse, step: UnlinkedStep | undefined): undefined {
    const { root } = use.reference;
    const { items } = expressionRoles[use.role];
    const spec = step?.spec;
    if (items && spec?.for_each !== undefined) return undefined;
    if (items && root === "index" && spec?.repeat !== undefined) return undefined;
    const hint = items ? `add for_each to the step${root === "index" ? ", or repeat" : ""}` : onceHint(use.role, spec);
    return this.#refuse("no_item", use, { message: `there is no ${root} here`, hint });
  }

  #error(use: ReferenceUse): undefined {
    if (expressionRoles[use.role].error) {
      this.#errorField(use, 0, failureFields);
      return undefined;
    }
    const hint = "write ${steps.ID.error}; error alone is available only in retry and fallback";
    return this.#refuse("no_error", use, { message: "there is no error here", hint });
  }

  #among(
    use: ReferenceUse,
    { names, code, noun }: { names: ReadonlySet<string> | undefined; code: string; noun: string },
  ): undefined {
    const [name] = use.reference.path;
    if (names === undefined || typeof name !== "string" || names.has(name)) return undefined;
    const hint = this.#report.suggest(name, names, listHint(`${noun}s`, names));
    return this.#refuse(code, use, { message: `there is no ${noun} "${name}"`, segment: 0, hint });
  }

  #unnamed(use: ReferenceUse, noun: string, example: string): undefined {
    const message = `"${use.reference.text}" does not name a ${noun}`;
    const hint = `references must be known before the chain runs: write ${example}`;
    return this.#refuse("unnamed_reference", use, { message, hint });
  }

  #refuse(code: string, use: ReferenceUse, { message, segment, ...detail }: Fault): undefined {
    const { at, length } = use.reference;
    const inside = segment === undefined ? ([at, length] as const) : segmentRange(use.reference, segment);
    this.#report.add(code, use.path, [message, { ...detail, inside }]);
    return undefined;
  }
}

/** Hint for an expression that is evaluated once, regardless of the items of the step. */
function onceHint(role: ExpressionRole, spec: StepSpec | undefined): string {
  if (role === "output") return "write ${steps.ID.output} for the results of all items";
  if (role === "approval") {
    return spec?.for_each === undefined && spec?.repeat !== undefined
      ? "the message is the same in every round; the approval shows the arguments, and params may use ${index}"
      : "the approval is requested once, and shows the arguments of every item";
  }
  return spec?.for_each === undefined
    ? "it is evaluated once for the whole step"
    : "it is evaluated once for the whole list; select items in for_each: [?@.score > 3]";
}

interface Fault extends Pick<ProblemDetail, "severity" | "hint"> {
  readonly message: string;
  /** Index of the part of the reference that is wrong. Default: all of it. */
  readonly segment?: number;
}

/** `steps: search, read`: the names that exist. */
export function listHint(noun: string, names: Names): string {
  if (names.size === 0) return `there are no ${noun}`;
  const shown = Iterator.from(names.keys()).take(8).toArray().join(", ");
  return `${noun}: ${names.size > 8 ? `${shown}, …` : shown}`;
}
