import { cliCommand } from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { ToolError } from "../../tool/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Adds to a failure which tool threw, and where, if that is known. */
export function withThrowLocation(result: ToolError): ToolError {
  const { error, tool } = result;
  if (error.thrownAt === undefined) return result;
  return { ...result, error: { ...error, message: `${tool} (${error.thrownAt}): ${error.message}` } };
}

/** Further ones are only counted. */
const maxListed = 5;

/**
 * Watches for tools of the workspace that throw during a run; the returned function reports them and stops watching.
 */
export function watchToolErrors(engine: Pick<Engine, "subscribe" | "redactor">, terminal: Terminal): () => void {
  const threw = new Set<string>();
  const unsubscribe = engine.subscribe(
    (event) => {
      if (event.type !== "execution_failed" || event.error.thrownAt === undefined) return;
      threw.add(
        toOneLine(engine.redactor.text(`${event.tool} threw (${event.error.thrownAt}): ${event.error.message}`)),
      );
    },
    ["execution_failed"],
  );
  return () => {
    unsubscribe();
    const lines = [...threw].slice(0, maxListed);
    if (threw.size > maxListed) lines.push(`and ${threw.size - maxListed} more; for details: ${cliCommand("records")}`);
    for (const line of lines) terminal.log(`${terminal.tint("yellow", "warning:")} ${line}`);
  };
}
