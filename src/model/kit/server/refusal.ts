/** A request that the API would not take, in its own kind of words. */
export class Refusal extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** Throws a {@link Refusal} unless this holds. */
export function demand(holds: boolean, message: () => string): asserts holds {
  if (!holds) throw new Refusal(message());
}
