/** Every name an expression may start with. */
export const rootNames = ["input", "steps", "env", "context", "secret", "item", "index", "run", "error"] as const;

/** One of {@link rootNames}. */
export type RootName = (typeof rootNames)[number];

/** Root name -> value, as JSON data. A root or a property that is absent, or undefined, is missing. */
export type Scope = Readonly<Partial<Record<RootName, unknown>>>;
