import type { RawToolCall } from "./model-family.ts";

/** Arguments that were written as JSON twice, or wrapped into a fence, as what they are. */
export function unwrapArguments(call: RawToolCall): RawToolCall {
  const input = call.input.trim();
  if (input.startsWith("{")) return call;
  const inner = input.startsWith('"') ? textIn(input) : /^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(input)?.[1];
  return inner?.trim().startsWith("{") === true ? { ...call, input: inner.trim() } : call;
}

function textIn(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
