import { registerHooks } from "node:module";

/** What the package exports, and the module behind it beside this file's folder, or beside this chunk in a bundle. */
const entries: ReadonlyMap<string, string> = new Map([
  ["windlass", "index"],
  ["windlass/agent", "agent"],
  ["windlass/ai-sdk", "ai-sdk"],
  ["windlass/chain", "chain"],
  ["windlass/hub", "hub"],
  ["windlass/langchain", "langchain"],
  ["windlass/mcp", "mcp"],
  ["windlass/otel", "otel"],
  ["windlass/testing", "testing"],
  ["windlass/tools", "tools"],
]);

let offered = false;

/**
 * Lets the code of a workspace import `windlass` where it is not installed: it gets the copy that runs. A workspace
 * that has its own keeps it.
 */
export function offerOwnPackage(): void {
  if (offered) return;
  offered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const entry = entries.get(specifier);
      if (entry === undefined) return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return nextResolve(urlOf(entry), context);
      }
    },
  });
}

function urlOf(entry: string): string {
  const path = import.meta.url.endsWith(".ts") ? `../../${entry}.ts` : `${entry}.js`;
  return new URL(path, import.meta.url).href;
}

function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
