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

/** A tool for tests: named `work`, it reads, and takes any arguments unless `more` overrides that. */
export function sampleTool(run: SampleHandler, more: More = {}): AnyTool {
  const definition = { name: "work", description: "Works.", effect: "read", input: anything, ...more, run };
  // The tests declare what they expect; the types of definitions have their own tests.
  return defineTool(definition as Parameters<typeof defineTool>[0]);
}
