import type { ToolContext, ToolResult } from "../../src/tool/index.ts";
import type { Answering, Arguments, CallContender } from "../contender.ts";
import { loadSubject } from "../subject.ts";
import { type Found, type Parsed, description, find, findAsync, name, schema } from "./workload.ts";

/** `signal`: called by tool, with a handler that reads its abort signal. */
export type Variant = "tool" | "name" | "signal";

/**
 * The full lifecycle: every call is validated, permitted and admitted, has a deadline, emits events to a subscriber,
 * and is recorded.
 */
export async function create(answering: Answering, variant: Variant): Promise<CallContender> {
  const { defineTool, createEngine } = await loadSubject();
  const definition = { name, description, input: schema, effect: "read" } as const;
  const handler = variant === "signal" ? findUnlessAborted : findAsync;
  const tool =
    answering === "sync" ? defineTool({ ...definition, run: find }) : defineTool({ ...definition, run: handler });
  const engine = createEngine({ tools: [tool] });
  let events = 0;
  engine.subscribe(() => events++);
  return {
    call:
      variant === "name" ? (args: Arguments) => engine.call(name, args) : (args: Arguments) => engine.call(tool, args),
    outputOf: (answer) => {
      const result = answer as ToolResult;
      if (!result.success) throw new Error(result.error.message);
      if (events === 0) throw new Error("no event reached the subscriber");
      return result.output;
    },
  };
}

async function findUnlessAborted(args: Parsed, { signal }: ToolContext): Promise<Found> {
  signal.throwIfAborted();
  return find(args);
}
