/**
 * Marks a class, and returns a function that recognizes its instances by that mark: also those of another copy of the
 * package, which `instanceof` would not recognize.
 */
export function brandOf<T extends object>(
  type: abstract new (...args: never) => T,
  name: string,
): (value: unknown) => value is T {
  const brand = Symbol.for(`windlass.${name}`);
  Object.defineProperty(type.prototype, brand, { value: true });
  return (value): value is T => typeof value === "object" && value !== null && brand in value;
}

/** Like {@link brandOf}, and makes `instanceof` work the same way, for classes that users test with it. */
export function brandPublic<T extends object>(
  type: abstract new (...args: never) => T,
  name: string,
): (value: unknown) => value is T {
  const has = brandOf(type, name);
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // A subclass inherits this method.
      return this === type ? has(value) : Function.prototype[Symbol.hasInstance].call(this as object, value);
    },
  });
  return has;
}
