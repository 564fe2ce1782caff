import { z } from "zod";
import type { AnySchema } from "../../src/schema/index.ts";
import {
  type AnyTool,
  type CompositeContext,
  type ToolContext,
  type ToolDefinition,
  defineTool,
} from "../../src/tool/index.ts";

/** The handler of a sample tool; `callTool` works where the tool is a composite. */
export type SampleHandler = (args: Record<string, unknown>, context: ToolContext & CompositeContext) => unknown;

const anything = z.looseObject({});

type More = Partial<
  Omit<ToolDefinition<typeof anything, undefined, true, unknown>, "composite" | "input" | "output">
> & {
  readonly composite?: boolean;
  readonly input?: AnySchema;
  readonly output?: AnySchema;
};

/** A tool for tests: named `work`, it reads, and takes any arguments unless `more` says otherwise. */
export function sampleTool(run: SampleHandler, more: More = {}): AnyTool {
  const definition = { name: "work", description: "Works.", effect: "read", input: anything, ...more, run };
  // The tests say what they expect; the types of definitions have tests of their own.
  return defineTool(definition as Parameters<typeof defineTool>[0]);
}
