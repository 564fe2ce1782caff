/**
 * The type of the values that a literal JSON Schema accepts: properties with a default may be absent. Unknown where the
 * schema is not a literal, or refers to another one.
 */
export type JsonInput<S, Refs = unknown> = JsonValue<S, "input", Refs>;

/**
 * The type of the values that a literal JSON Schema outputs: properties with a default are present. `Refs` has the schemas
 * that `$ref: "#/components/schemas/NAME"` refers to, by their names.
 */
export type JsonOutput<S, Refs = unknown> = JsonValue<S, "output", Refs>;

type Side = "input" | "output";

type JsonValue<S, D extends Side, R> = S extends {
  readonly $ref: `#/components/schemas/${infer N extends keyof R & string}`;
}
  ? JsonValue<R[N], D, R>
  : S extends { readonly const: infer V }
    ? V
    : S extends { readonly enum: readonly (infer V)[] }
      ? V
      : S extends { readonly type: readonly (infer T)[] }
        ? ValueOfType<T, S, D, R>
        : S extends { readonly type: infer T }
          ? ValueOfType<T, S, D, R>
          : S extends { readonly anyOf: readonly (infer U)[] } | { readonly oneOf: readonly (infer U)[] }
            ? JsonValue<U, D, R>
            : unknown;

type ValueOfType<T, S, D extends Side, R> = T extends "object"
  ? JsonObject<S, D, R>
  : T extends "array"
    ? readonly (S extends { readonly items: infer I } ? JsonValue<I, D, R> : unknown)[]
    : T extends keyof Scalars
      ? Scalars[T]
      : unknown;

interface Scalars {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type JsonObject<S, D extends Side, R> = S extends { readonly properties: infer P }
  ? string extends keyof P
    ? AnyObject<D>
    : WithOptional<P, PresentKeys<S, P, D>, D, R>
  : S extends { readonly additionalProperties: infer V }
    ? { readonly [key: string]: V extends false ? never : JsonValue<V, D, R> }
    : AnyObject<D>;

/** An interface has no index signature: it could not be passed, and a handler could not return it. */
type AnyObject<D extends Side> = D extends "input" ? object : { readonly [key: string]: unknown };

/** An intersection would be unreadable in editors. */
type WithOptional<P, Present, D extends Side, R> = Flat<
  { readonly [K in keyof P as K extends Present ? K : never]: JsonValue<P[K], D, R> } & {
    readonly [K in keyof P as K extends Present ? never : K]?: JsonValue<P[K], D, R>;
  }
>;

type Flat<T> = T extends infer O ? { [K in keyof O]: O[K] } : never;

type PresentKeys<S, P, D extends Side> = D extends "input"
  ? Exclude<RequiredKeys<S>, DefaultKeys<P>>
  : RequiredKeys<S> | DefaultKeys<P>;

type RequiredKeys<S> = S extends { readonly required: readonly (infer R)[] } ? (string extends R ? never : R) : never;

type DefaultKeys<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P];
