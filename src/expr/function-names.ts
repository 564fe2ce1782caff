/** Fewest and most arguments of a function. */
interface Arity {
  readonly min: number;
  readonly max: number;
}

/** Every function of the language, with its number of arguments. The list is closed. */
export const functionArities = {
  size: { min: 1, max: 1 },
  has: { min: 1, max: 1 },
  default: { min: 2, max: 2 },
  type: { min: 1, max: 1 },
  str: { min: 1, max: 1 },
  num: { min: 1, max: 1 },
  json: { min: 1, max: 1 },
  parse_json: { min: 1, max: 1 },
  join: { min: 1, max: 2 },
  split: { min: 2, max: 2 },
  lower: { min: 1, max: 1 },
  upper: { min: 1, max: 1 },
  trim: { min: 1, max: 1 },
  contains: { min: 2, max: 2 },
  starts_with: { min: 2, max: 2 },
  ends_with: { min: 2, max: 2 },
  keys: { min: 1, max: 1 },
  values: { min: 1, max: 1 },
  first: { min: 1, max: 1 },
  last: { min: 1, max: 1 },
  unique: { min: 1, max: 1 },
  flatten: { min: 1, max: 1 },
  sum: { min: 1, max: 1 },
  min: { min: 1, max: 16 },
  max: { min: 1, max: 16 },
  round: { min: 1, max: 2 },
  floor: { min: 1, max: 1 },
  abs: { min: 1, max: 1 },
} as const;

functionArities satisfies Record<string, Arity>;

/** The name of a function. */
export type FunctionName = keyof typeof functionArities;

/** True if this is a function of the language. */
export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functionArities, name);
}
