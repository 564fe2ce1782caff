/** The value of a path that leads nowhere. It is not `null`: null is data, missing is the lack of it. */
export const missing: unique symbol = Symbol.for("windlass.missing");

/** The type of {@link missing}. */
export type Missing = typeof missing;
