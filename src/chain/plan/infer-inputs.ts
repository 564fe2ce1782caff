import { type JsonSchema, isRecord, setOwn, ownValue } from "../../schema/index.ts";
import { calledPlan } from "./chain-effect.ts";
import { dereference, isInvolved } from "./check-params.ts";
import type { ErrorHandlingSpec } from "./chain-spec.ts";
import type { UnlinkedStep } from "./compile-step.ts";
import type { SchemaPart } from "./literal-issues.ts";
import { onlyReference } from "./output-views.ts";
import type { ExpressionRole, ReferenceUse } from "./part-reader.ts";
import type { Target } from "./plan.ts";

/**
 * Inputs that are not declared: everything that expressions read. Inputs without a default or a null check are
 * required. An input that is passed on as a whole has the type of the parameter that takes it. `handling` is the chain's
 * own `error_handling`.
 */
export function inferInputs(
  uses: readonly ReferenceUse[],
  steps: readonly UnlinkedStep[],
  handling: ErrorHandlingSpec | undefined,
): JsonSchema {
  const { inputs, isOpen } = readUses(uses);
  const types = new InputTypes();
  for (const step of steps) types.addStep(step, handling);
  const properties: Record<string, unknown> = {};
  for (const [name, { nullable }] of inputs) setOwn(properties, name, types.schemaOf(name, nullable));
  const required = [...inputs].flatMap(([name, input]) => (input.required ? [name] : []));
  const json = { type: "object", properties, ...(required.length > 0 && { required }) };
  return isOpen ? { ...json, additionalProperties: true } : json;
}

interface UsedInput {
  required: boolean;
  /** It may be null: an expression handles that. */
  nullable: boolean;
}

/** The inputs that expressions read; open if they read all inputs, or one that is known only at run time. */
function readUses(uses: readonly ReferenceUse[]): { inputs: ReadonlyMap<string, UsedInput>; isOpen: boolean } {
  const inputs = new Map<string, UsedInput>();
  let isOpen = false;
  for (const { reference, role } of uses) {
    if (reference.root !== "input") continue;
    const [name] = reference.path;
    isOpen ||= typeof name !== "string";
    if (typeof name !== "string") continue;
    const input = inputs.get(name) ?? { required: false, nullable: false };
    inputs.set(name, input);
    input.required ||= !reference.guarded;
    input.nullable ||= reference.guarded || decides.has(role);
  }
  return { inputs, isOpen };
}

/** Roles of expressions that are evaluated to decide whether others are. */
const decides: ReadonlySet<ExpressionRole> = new Set(["condition", "until", "retry"]);

/** The types of the parameters that inputs are passed to. */
class InputTypes {
  readonly #types = new Map<string, ReadonlySet<string>>();

  addStep({ spec, target, onFailure, compensate }: UnlinkedStep, handling: ErrorHandlingSpec | undefined): void {
    if (spec.for_each !== undefined) this.#add(spec.for_each, ["array"]);
    this.#addCall(target, spec.params);
    const { fallback = [] } = spec.error_handling ?? handling ?? {};
    for (const [index, { params }] of fallback.entries()) this.#addCall(onFailure.fallback[index]?.target, params);
    this.#addCall(compensate?.target, spec.compensate?.params);
  }

  /** No type if none is known, or if the parameters require different ones: then each call reports its own. */
  schemaOf(name: string, isNullable: boolean): JsonSchema {
    const types = this.#types.get(name) ?? new Set();
    if (types.size === 0) return {};
    const all = isNullable ? [...new Set([...types, "null"])] : [...types];
    return { type: all.length === 1 ? all[0] : all };
  }

  #addCall(target: Target | undefined, params: unknown): void {
    const json = params === undefined || target === undefined ? undefined : inputSchemaOf(target);
    if (json !== undefined) this.#visit(params, { root: json, node: json });
  }

  #visit(value: unknown, part: SchemaPart): void {
    const { root } = part;
    const node = dereference(part);
    if (node === undefined || isInvolved(node)) return;
    if (typeof value === "string") {
      this.#add(value, [node["type"]].flat());
    } else if (Array.isArray(value)) {
      const { items } = node;
      if (isRecord(items)) for (const item of value) this.#visit(item, { root, node: items });
    } else if (isRecord(value)) {
      for (const [key, item] of Object.entries(value)) {
        const own = ownValue(node["properties"], key);
        if (isRecord(own)) this.#visit(item, { root, node: own });
      }
    }
  }

  /** Adds the types that a parameter accepts, if its value is one input. */
  #add(value: unknown, accepted: readonly unknown[]): void {
    if (typeof value !== "string" || !value.includes("input")) return;
    const names = accepted.filter((type) => typeof type === "string");
    const reference = names.length === 0 ? undefined : onlyReference(value);
    if (reference?.root !== "input" || reference.path.length !== 1) return;
    const [name] = reference.path;
    if (typeof name !== "string") return;
    const known = this.#types.get(name);
    this.#types.set(name, known === undefined ? new Set(names) : common(known, new Set(names)));
  }
}

/** Types that both accept; a whole number is a number, too. */
function common(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  const both = [...one].filter((type) => other.has(type));
  const whole = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.has("integer") && b.has("number");
  return new Set(whole(one, other) || whole(other, one) ? [...both, "integer"] : both);
}

/** The input schema of a tool, or of a chain that declares its inputs: inferring those could lead back here. */
function inputSchemaOf(target: Target): JsonSchema | undefined {
  if (target.tool !== undefined) return target.tool.input.json;
  const plan = calledPlan(target);
  return plan?.spec.input === undefined ? undefined : plan.input.json;
}
