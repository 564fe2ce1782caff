import { snakeKeys } from "../../tool/index.ts";

/** A notice or another coded message in JSON output. */
export interface WireCoded {
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export function toWireCoded({ code, params }: { readonly code: string; readonly params: object }): WireCoded {
  return { code, params: snakeKeys({ ...params }) };
}
