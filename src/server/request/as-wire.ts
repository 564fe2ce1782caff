import type { SchemaName, WireValue } from "../../api/index.ts";

/** A value in its wire form with the type of its schema; the contract test validates every response against it. */
export function asWire<Name extends SchemaName>(value: Readonly<Record<string, unknown>>): WireValue<Name> {
  return value as WireValue<Name>;
}
