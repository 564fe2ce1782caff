import { findToolsName } from "../../../hub/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { ToolSuccess } from "../../../tool/index.ts";
import type { ToolList } from "./tool-list.ts";

/** What `find_tools` found, with the names by which a client calls the tools; any other result as it is. */
export function withWireNames(result: ToolSuccess, list: Pick<ToolList, "wireNameOf">): ToolSuccess {
  const { tool, output } = result;
  if (tool !== findToolsName || !isRecord(output) || !Array.isArray(output["tools"])) return result;
  const tools = output["tools"].map((found: unknown) => {
    const name = isRecord(found) ? found["name"] : undefined;
    return isRecord(found) && typeof name === "string" ? { ...found, name: list.wireNameOf(name) ?? name } : found;
  });
  return { ...result, output: { ...output, tools } };
}
