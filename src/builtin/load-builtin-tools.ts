import type { AnyTool } from "../tool/index.ts";
import type { BuiltinServices } from "./builtin-tools.ts";

/** Every built-in tool, loaded when this is called, for those who mostly do without. */
export async function loadBuiltinTools(services: BuiltinServices): Promise<readonly AnyTool[]> {
  const { builtinTools } = await import("./builtin-tools.ts");
  return builtinTools(services);
}
