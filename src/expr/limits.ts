/** What one expression may cost, so that every answer, or the refusal of one, takes milliseconds. */
export const limits = {
  /** Characters of one expression. */
  characters: 4096,
  /** Parts of one expression: operands, operators, calls, segments of paths. */
  nodes: 512,
  /** Brackets, signs and choices inside each other. */
  depth: 32,
  /** Units of work of one evaluation: about one per operator and per item that is looked at. */
  ticks: 100_000,
  /** Characters of a text that an evaluation makes. */
  text: 1_048_576,
  /** Levels of a value that is compared or written as JSON; deeper is an attack. */
  valueDepth: 128,
  /** Characters of one JSONPath. */
  selectCharacters: 1024,
  /** Units of work of one selection: about one per node that is looked at. */
  selectTicks: 500_000,
} as const;

/** Characters of text that are worked on for one tick. */
export const charactersPerTick = 32;

/** Ticks for each key when the keys of an object are listed: in a large object that takes longer than most things. */
export const ticksPerKey = 2;
