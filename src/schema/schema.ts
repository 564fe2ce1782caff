import type { Issue } from "../base/index.ts";

/** A JSON Schema document (draft 2020-12 or draft-07), as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Result of a validation: the value, with defaults and transforms applied, or its issues. */
export type Validation<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/**
 * A schema in any dialect, as the engine sees it. `In` is the type that callers pass, `Out` the type that handlers
 * receive.
 */
export interface Schema<Out = unknown, In = unknown> {
  /** The input side as JSON Schema; computed once. */
  readonly json: JsonSchema;
  /** Never throws. Returns a promise only if the schema itself is asynchronous. */
  validate(value: unknown): Validation<Out> | Promise<Validation<Out>>;
  /**
   * Keys that the schema does not mention reach the handler, as plain JSON Schema says. Default: they do not, unless
   * the schema allows them with `additionalProperties` or `patternProperties`.
   */
  readonly keepsUndeclared?: boolean;
  /** Never present; carries the type that callers pass. */
  readonly input?: In;
}

/** A schema that always validates synchronously. */
export interface SyncSchema<Out = unknown, In = unknown> extends Schema<Out, In> {
  validate(value: unknown): Validation<Out>;
}
