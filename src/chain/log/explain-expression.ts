import { isRecord } from "../../schema/index.ts";
import { type CompiledValue, type Scope, type ValuePath, isExpressionError } from "../../expr/index.ts";
import { itemScope } from "../interpreter/step-view.ts";
import type { ExplainFact } from "../texts/explain-fact.ts";
import { referenceValues } from "./log-value.ts";
import type { StepLocation } from "./step-location.ts";

/** A part of a step that could not be evaluated, and the path of the faulty text in it. */
interface FailedPart {
  readonly value: CompiledValue;
  readonly valuePath: ValuePath;
  readonly scope: Scope;
  /** The path of the text in the step. */
  readonly path: ValuePath;
}

/**
 * The expression that made a step fail, with the values that it saw: they are evaluated again, with the same result. None
 * if the step failed for another reason, or at an expression about its own attempts.
 */
export function explainExpression(site: StepLocation): ExplainFact[] {
  const { state, plan } = site;
  const code = state.error?.code === "items_failed" ? firstItemError(site)?.code : state.error?.code;
  if (code !== "expression_error") return [];
  const failed = failedPart(site);
  if (failed === undefined) return [];
  const { path, value, valuePath, scope } = failed;
  const expression = textAt(plan?.spec.steps[state.step.index], path);
  if (expression === undefined) return [];
  const key = JSON.stringify(valuePath);
  const references = value.references.filter((reference) => JSON.stringify(reference.valuePath) === key);
  return [
    {
      code: "expression_failed",
      params: { path, expression, values: referenceValues(references, { ...site, scope }) },
    },
  ];
}

function firstItemError({ state }: StepLocation): { readonly code: string } | undefined {
  return state.items?.find(({ error }) => error !== undefined)?.error;
}

function failedPart(site: StepLocation): FailedPart | undefined {
  const { scope, state } = site;
  const { forEach, params } = state.step;
  if (forEach === undefined) return tryPart(params, scope, "params");
  const items = evaluate(forEach.items, scope);
  if (items.error !== undefined) return tryPart(forEach.items, scope, "for_each");
  const index = state.items?.findIndex(({ error }) => error?.code === "expression_error") ?? -1;
  if (index < 0 || !Array.isArray(items.value)) return undefined;
  return tryPart(params, itemScope(scope, { index, item: items.value[index] as unknown }), "params");
}

function tryPart(value: CompiledValue, scope: Scope, name: string): FailedPart | undefined {
  const { error } = evaluate(value, scope);
  return error && { value, scope, valuePath: error.valuePath, path: [name, ...error.valuePath] };
}

function evaluate(
  value: CompiledValue,
  scope: Scope,
): { readonly value?: unknown; readonly error?: { readonly valuePath: ValuePath } } {
  try {
    return { value: value.evaluate(scope) };
  } catch (error) {
    if (isExpressionError(error)) return { error };
    throw error;
  }
}

/** The text at a path of a step, as its file has it. */
function textAt(step: unknown, path: ValuePath): string | undefined {
  let at: unknown = step;
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isRecord(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return typeof at === "string" ? at : undefined;
}
