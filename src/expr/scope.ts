/** Every name an expression may start with. */
export const rootNames = ["input", "steps", "env", "context", "secret", "item", "index", "run", "error"] as const;

/** One of {@link rootNames}. */
export type RootName = (typeof rootNames)[number];

/** Root name -> value, as JSON data. An absent or undefined root or property is missing. */
export type Scope = Readonly<Partial<Record<RootName, unknown>>>;
