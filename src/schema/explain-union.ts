import type { Broken } from "./broken.ts";
import { type Place, listValues, typeName } from "./rule.ts";
import { showValue } from "./show-value.ts";

/**
 * Why a value fits none of several forms, as one reader can use it: the forms together where the value is of no
 * form at all, else what is wrong with the form it comes nearest to.
 */
export function explainUnion(forms: readonly (readonly Broken[])[], place: Place): readonly Broken[] {
  const near = forms.filter((form) => !isWholly(form, place));
  if (near.length === 0) return [notAnyOf(forms.flat(), place)];
  const key = sharedDiscriminator(near, place);
  return key === undefined ? nearestForm(near, place) : [key];
}

/** The value itself is wrong, not something inside it. */
function isWholly(form: readonly Broken[], place: Place): boolean {
  return form.length > 0 && form.every((broken) => broken.place.path.length <= place.path.length);
}

function notAnyOf(all: readonly Broken[], place: Place): Broken {
  const types = unique(all.flatMap(({ rule }) => (rule.code === "type" ? rule.expected : [])));
  const values = unique(all.flatMap(({ rule }) => (rule.code === "enum" ? rule.allowed : [])));
  const others = all.filter(({ rule }) => rule.code !== "type" && rule.code !== "enum");
  if (others.length > 0 && types.length + values.length === 0) return others[0] ?? fitsNothing(place);
  // A value of the right type that breaks another rule is nearer than one of the wrong type.
  if (others[0] !== undefined) return others[0];
  if (values.length === 0) return { rule: { code: "type", expected: types }, place };
  if (types.length === 0) return { rule: { code: "enum", allowed: values }, place };
  const forms = [...types.map((type) => typeName(type)), `one of ${listValues(values)}`].join(" or ");
  return { rule: { code: "union", message: `must be ${forms}, got ${showValue(place.value)}` }, place };
}

function fitsNothing(place: Place): Broken {
  return { rule: { code: "union", message: `has none of the allowed forms, got ${showValue(place.value)}` }, place };
}

/** All forms disagree with the same key, such as `kind`: name the kinds there are. */
function sharedDiscriminator(forms: readonly (readonly Broken[])[], place: Place): Broken | undefined {
  const depth = place.path.length + 1;
  const keys = forms.map((form) =>
    form.find(({ rule, place: at }) => rule.code === "enum" && at.path.length === depth && at.value !== undefined),
  );
  const first = keys[0];
  if (first === undefined || !keys.every((key) => key?.place.path.at(-1) === first.place.path.at(-1))) return undefined;
  const allowed = unique(keys.flatMap((key) => (key?.rule.code === "enum" ? key.rule.allowed : [])));
  return { rule: { code: "enum", allowed }, place: first.place };
}

function nearestForm(forms: readonly (readonly Broken[])[], place: Place): readonly Broken[] {
  let best: readonly Broken[] = [fitsNothing(place)];
  let lowest = Infinity;
  for (const form of forms) {
    if (form.length === 0) continue;
    const score = distance(form, place);
    if (score < lowest) {
      lowest = score;
      best = form;
    }
  }
  return best;
}

/** A wrong type or a wrong fixed value says more than a missing or a malformed one. */
function distance(form: readonly Broken[], place: Place): number {
  let score = 0;
  for (const { rule, place: at } of form) {
    const direct = at.path.length === place.path.length + 1;
    if (rule.code === "enum" && direct) score += 100;
    else score += rule.code === "type" ? 3 : 2;
  }
  return score;
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
