/** Fewest and most arguments of a function. */
interface Arity {
  readonly least: number;
  readonly most: number;
}

/** Every function of the language, and how many arguments it takes. The list is closed. */
export const functionArities = {
  size: { least: 1, most: 1 },
  has: { least: 1, most: 1 },
  default: { least: 2, most: 2 },
  type: { least: 1, most: 1 },
  str: { least: 1, most: 1 },
  num: { least: 1, most: 1 },
  json: { least: 1, most: 1 },
  parse_json: { least: 1, most: 1 },
  join: { least: 1, most: 2 },
  split: { least: 2, most: 2 },
  lower: { least: 1, most: 1 },
  upper: { least: 1, most: 1 },
  trim: { least: 1, most: 1 },
  contains: { least: 2, most: 2 },
  starts_with: { least: 2, most: 2 },
  ends_with: { least: 2, most: 2 },
  keys: { least: 1, most: 1 },
  values: { least: 1, most: 1 },
  first: { least: 1, most: 1 },
  last: { least: 1, most: 1 },
  unique: { least: 1, most: 1 },
  flatten: { least: 1, most: 1 },
  sum: { least: 1, most: 1 },
  min: { least: 1, most: 16 },
  max: { least: 1, most: 16 },
  round: { least: 1, most: 2 },
  floor: { least: 1, most: 1 },
  abs: { least: 1, most: 1 },
} as const;

functionArities satisfies Record<string, Arity>;

/** The name of a function. */
export type FunctionName = keyof typeof functionArities;

/** Is this a function of the language? */
export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functionArities, name);
}
