/**
 * Thrown for words that name no range, with the reason; the caller, which knows the whole text, converts it to a
 * failure.
 */
export class Unclear extends Error {
  override readonly name: string = "Unclear";
}

export function isUnclear(value: unknown): value is Unclear {
  return value instanceof Unclear;
}
