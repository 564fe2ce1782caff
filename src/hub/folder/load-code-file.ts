import type { Clock } from "../../base/index.ts";
import type { Problem } from "../../text/index.ts";
import { type AnyTool, describeError, importFresh, isTool, missingPackageHint } from "../../tool/index.ts";
import type { LoadedFile, ToolFileLocation, ToolFileWorld } from "./load-tool-file.ts";

/**
 * Loads every tool that a module exports: tools made by `defineTool`, lists of them, and groups (`{ tools: [...] }`).
 * TypeScript runs as it is, its types stripped by Node. A module that exports no tool is simply none.
 */
export async function loadCodeFile(
  file: ToolFileLocation & { readonly source: string },
  world: ToolFileWorld & { readonly clock: Clock },
): Promise<LoadedFile> {
  const { name, path, source } = file;
  try {
    const exports = await importFresh(path, world);
    const tools = new Set(Object.values(exports).flatMap((value) => toolsIn(value)));
    return { tools: [...tools], problems: sameNames(tools, name), source, modules: [], retry: false };
  } catch (error) {
    const message = `the module failed to load: ${describeError(error)}`;
    const { errorPlace } = await import("./error-place.ts");
    const place = await errorPlace(error, file);
    const hint = missingPackageHint(error);
    const what = { code: "module_failed", message, ...(hint !== undefined && { hint }) };
    const problem: Problem = { severity: "error", ...what, file: name, ...place };
    return { tools: [], problems: [problem], source, modules: [], retry: true };
  }
}

function toolsIn(value: unknown): AnyTool[] {
  if (isTool(value)) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => (isTool(item) ? [item] : []));
  const isGroup = typeof value === "object" && value !== null && "tools" in value && Array.isArray(value.tools);
  return isGroup ? toolsIn(value.tools) : [];
}

/** Two tools of one module may not have one name. */
function sameNames(tools: ReadonlySet<AnyTool>, file: string): Problem[] {
  const byName = Map.groupBy(tools, (tool) => tool.name);
  return [...byName].flatMap(([name, same]) => {
    if (same.length === 1) return [];
    const message = `the module exports ${same.length} tools of the name "${name}"`;
    return [{ severity: "error", code: "duplicate_tool", message, file, line: 1, column: 1 } as const];
  });
}
