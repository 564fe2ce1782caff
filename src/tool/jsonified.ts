/**
 * What is left of a type after it went through JSON: dates become text, nothing becomes null, methods go. Outputs
 * are JSON, so this is what callers really get.
 */
export type Jsonified<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends undefined | void
      ? null
      : T extends { toJSON(): infer R }
        ? Jsonified<R>
        : T extends Unwritable
          ? never
          : T extends readonly unknown[]
            ? { [K in keyof T]: Jsonified<T[K]> }
            : T extends object
              ? { [K in keyof T as T[K] extends Unwritable ? never : K]: Member<T[K]> }
              : never;

/** A member that is not there stays away; it does not become null. */
type Member<T> = undefined extends T ? Jsonified<Exclude<T, undefined>> | undefined : Jsonified<T>;

type Unwritable = symbol | bigint | ((...args: never[]) => unknown);
