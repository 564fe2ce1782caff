import type { Attributes } from "@opentelemetry/api";

/** A value in OTLP/JSON. */
type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

/** An attribute in OTLP/JSON. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

/** Converts attributes to OTLP/JSON. Attributes without a value are omitted. */
export function toOtlpAttributes(attributes: Attributes): readonly OtlpAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: toOtlpValue(value) }],
  );
}

function toOtlpValue(value: NonNullable<Attributes[string]>): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  const values = value.flatMap((each) => (each === null || each === undefined ? [] : [toOtlpValue(each)]));
  return { arrayValue: { values } };
}
