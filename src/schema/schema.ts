import type { Issue } from "../base/index.ts";

/** A JSON Schema document (draft 2020-12 or draft-07), as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What validation gives: the value, with defaults and transforms applied, or what is wrong with it. */
export type Validation<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** A schema in any dialect, seen by the engine. `In` is what callers pass, `Out` what handlers get. */
export interface Schema<Out = unknown, In = unknown> {
  /** The input side as JSON Schema; computed once. */
  readonly json: JsonSchema;
  /** Never throws. A promise only where the schema itself is asynchronous. */
  validate(value: unknown): Validation<Out> | Promise<Validation<Out>>;
  /** Never present; carries the type of what callers pass. */
  readonly input?: In;
}

/** A schema that always answers at once. */
export interface SyncSchema<Out = unknown, In = unknown> extends Schema<Out, In> {
  validate(value: unknown): Validation<Out>;
}
