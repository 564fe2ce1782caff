import type { Engine } from "../engine/index.ts";
import type { ToolError } from "../tool/index.ts";
import { oneLine } from "./format-table.ts";
import type { Terminal } from "./terminal.ts";

/** The same failure, saying which tool threw, and where, if that is known. */
export function withPlace(result: ToolError): ToolError {
  const { error, tool } = result;
  if (error.thrownAt === undefined) return result;
  return { ...result, error: { ...error, message: `${tool} (${error.thrownAt}): ${error.message}` } };
}

/** More are only counted. */
const mostTold = 5;

/** Watches for tools of the workspace that throw while a run is under way; what it returns tells of them, and ends it. */
export function watchThrown(engine: Pick<Engine, "subscribe" | "redactor">, terminal: Terminal): () => void {
  const threw = new Set<string>();
  const unsubscribe = engine.subscribe(
    (event) => {
      if (event.type !== "execution_failed" || event.error.thrownAt === undefined) return;
      threw.add(oneLine(engine.redactor.text(`${event.tool} threw (${event.error.thrownAt}): ${event.error.message}`)));
    },
    ["execution_failed"],
  );
  return () => {
    unsubscribe();
    const lines = [...threw].slice(0, mostTold);
    if (threw.size > mostTold) lines.push(`and ${threw.size - mostTold} more; windlass records tells of all`);
    for (const line of lines) terminal.tell(`${terminal.tint("yellow", "warning:")} ${line}`);
  };
}
