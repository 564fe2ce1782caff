import { appendFileSync, fsyncSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fail } from "../../../src/base/index.ts";
import { fromJsonSchema } from "../../../src/schema/index.ts";
import { type AnyTool, type Effect, type ToolContext, defineTool } from "../../../src/tool/index.ts";

/** One line of the effects log: an effect on the world. */
export interface EffectLine {
  readonly what: "begin" | "end";
  readonly tool: string;
  readonly effect: Effect;
  /** run/step, with item and round. */
  readonly key: string;
  readonly at: number;
  readonly pid: number;
}

const input = fromJsonSchema({
  type: "object",
  properties: { value: { type: "number" }, ms: { type: "number", default: 0 } },
  required: ["value"],
});
const output = fromJsonSchema({ type: "object", properties: { value: { type: "number" } }, required: ["value"] });

/** Tools that write every run to a file before it starts, and before it ends, and report both. */
export function effectTools(file: string | undefined, report: () => void = () => {}): AnyTool[] {
  const handle = file === undefined ? undefined : openSync(file, "a");
  const note = (line: EffectLine): void => {
    if (handle === undefined) return;
    appendFileSync(handle, `${JSON.stringify(line)}\n`);
    fsyncSync(handle);
    report();
  };
  const failed = new Set<string>();

  const tool = (name: string, effect: Effect, failing: (key: string) => boolean = () => false): AnyTool =>
    defineTool({
      name,
      description: `Adds one (${effect}).`,
      effect,
      input,
      output,
      run: async (args: unknown, context: ToolContext) => {
        const { value, ms } = args as { value: number; ms: number };
        const key = context.idempotencyKey;
        const about = { tool: name, effect, key, pid: process.pid };
        note({ what: "begin", ...about, at: Date.now() });
        if (ms > 0) await sleep(ms);
        note({ what: "end", ...about, at: Date.now() });
        if (failing(key)) throw fail("not this time", { retry: "safe" });
        return { value: value + 1 };
      },
    });

  /** In any process: a tool that fails first in each of them uses up its retries. */
  const isFirstTime = (key: string): boolean => {
    const begun = file === undefined ? [] : readFileSync(file, "utf8").split(`"key":${JSON.stringify(key)}`);
    const isFirst = !failed.has(key) && begun.length <= 3;
    failed.add(key);
    return isFirst;
  };
  return [
    tool("calc", "pure"),
    tool("look", "read"),
    tool("put", "idempotent"),
    tool("send", "once"),
    tool("wipe", "once"),
    tool("flaky", "read", isFirstTime),
    tool("broken", "read", () => true),
  ];
}
