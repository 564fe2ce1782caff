/** Tools that report progress. */
import { setTimeout as wait } from "node:timers/promises";
import { defineTool } from "../../../../src/index.ts";

export const withLogging = defineTool({
  name: "test_tool_with_logging",
  description: "Logs three lines.",
  effect: "read",
  run: async (_args, { log, signal }) => {
    log("Tool execution started");
    await wait(50, undefined, { signal });
    log("Tool processing data");
    await wait(50, undefined, { signal });
    log("Tool execution completed");
    return "done";
  },
});

export const logging = defineTool({
  name: "test_logging_tool",
  description: "Logs a line.",
  effect: "read",
  run: (_args, { log }) => {
    log("a line");
    return "logged";
  },
});

export const withProgress = defineTool({
  name: "test_tool_with_progress",
  description: "Reports progress.",
  effect: "read",
  run: async (_args, { progress, signal }) => {
    for (const value of [0, 50, 100]) {
      progress({ progress: value, total: 100 });
      await wait(50, undefined, { signal });
    }
    return "done";
  },
});
