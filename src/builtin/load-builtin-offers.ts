import type { ToolOffer } from "../tool/index.ts";
import type { ServiceOptions } from "./services.ts";

/** The built-in tools, loaded when this is called, for those who mostly do without. */
export async function loadBuiltinOffers(options: ServiceOptions): Promise<readonly ToolOffer[]> {
  const { builtinOffers } = await import("./builtin-tools.ts");
  return builtinOffers(options);
}
