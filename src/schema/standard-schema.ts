/**
 * The part of the Standard Schema specification (version 1, with its JSON Schema extension) that Windlass reads.
 * Written here so that no schema library is needed to use or to type a tool.
 */
export interface StandardSchema<In = unknown, Out = In> {
  readonly "~standard": StandardProps<In, Out>;
}

/** Properties of a Standard Schema. */
export interface StandardProps<In = unknown, Out = In> {
  readonly version: 1;
  /** The library that made the schema, such as `zod`. */
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>;
  /** Carries the types; absent at run time. */
  readonly types?: { readonly input: In; readonly output: Out } | undefined;
}

/** Result of a Standard Schema's own validation. */
export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** An issue as the libraries report it; most add further fields. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The converter of a schema that can describe itself as JSON Schema. */
export interface JsonSchemaConverter {
  input(options: JsonSchemaOptions): Record<string, unknown>;
  output(options: JsonSchemaOptions): Record<string, unknown>;
}

interface JsonSchemaOptions {
  readonly target: string;
  readonly libraryOptions?: Record<string, unknown>;
}

/** The type that callers pass to schema `S`. */
export type StandardInput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/** The type that schema `S` outputs. */
export type StandardOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** True if this is a Standard Schema. Some libraries create functions, others objects. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const props: unknown = Reflect.get(value, "~standard");
  return typeof props === "object" && props !== null && "validate" in props && typeof props.validate === "function";
}
