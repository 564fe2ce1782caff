/** Limits of one expression, so that every result or refusal takes milliseconds. */
export const limits = {
  /** Characters of one expression. */
  characters: 4096,
  /** Parts of one expression: operands, operators, calls, segments of paths. */
  nodes: 512,
  /** Brackets, signs and choices inside each other. */
  depth: 32,
  /** Units of work of one evaluation: about one per operator and per visited item. */
  ticks: 100_000,
  /** Characters of a text that an evaluation makes. */
  text: 1_048_576,
  /** Levels of a value that is compared or written as JSON; deeper is an attack. */
  valueDepth: 128,
  /** Characters of one JSONPath. */
  selectCharacters: 1024,
  /** Units of work of one selection: about one per visited node. */
  selectTicks: 500_000,
} as const;

/** Characters of text processed per tick. */
export const charactersPerTick = 32;

/** Ticks per key when the keys of an object are listed, which is slow in a large object. */
export const ticksPerKey = 2;
