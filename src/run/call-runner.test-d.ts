import { expectTypeOf } from "vitest";
import type { CallEnd, CallRequest } from "./index.ts";

/** The same type without everything that JSON does not hold. */
type Data<T> = unknown extends T
  ? T
  : T extends NotData
    ? never
    : T extends object
      ? { [K in keyof T]: Data<T[K]> }
      : T;
type NotData =
  | ((...args: never[]) => unknown)
  | symbol
  | bigint
  | Date
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ArrayBufferView
  | { toJSON(): unknown };

// Values that a runner sends elsewhere arrive unchanged.
expectTypeOf<Data<CallRequest>>().toEqualTypeOf<CallRequest>();
expectTypeOf<Data<CallEnd>>().toEqualTypeOf<CallEnd>();
expectTypeOf<Data<{ look(): void }>>().not.toEqualTypeOf<{ look(): void }>();
