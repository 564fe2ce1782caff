/** A request that the API rejects, with a message in its own style. */
export class ApiRejection extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

export function isApiRejection(value: unknown): value is ApiRejection {
  return value instanceof ApiRejection;
}

/** Throws an {@link ApiRejection} unless this holds. */
export function requireThat(holds: boolean, message: () => string): asserts holds {
  if (!holds) throw new ApiRejection(message());
}
