import type { Answering, Arguments, CallContender } from "../contender.ts";
import { type Found, type Parsed, deadlineMs, find, findAsync, name, schema } from "./workload.ts";

interface HandTool {
  readonly schema: typeof schema;
  readonly run: (args: Parsed, context: { signal: AbortSignal }) => Found | Promise<Found>;
}

type Envelope =
  | { readonly success: true; readonly output: Found; readonly durationMs: number }
  | { readonly success: false; readonly error: string; readonly durationMs: number };

/** What a careful engineer writes by hand: look-up, parse, a slot, a timeout, an abort signal, an envelope. */
export function create(answering: Answering): CallContender {
  const tools = new Map<string, HandTool>([[name, { schema, run: answering === "sync" ? find : findAsync }]]);
  const call = guarded(tools, 10);
  return {
    call: (args: Arguments) => call(name, args),
    outputOf: (answer) => {
      const envelope = answer as Envelope;
      if (!envelope.success) throw new Error(envelope.error);
      return envelope.output;
    },
  };
}

function guarded(tools: ReadonlyMap<string, HandTool>, slots: number) {
  const waiting: (() => void)[] = [];
  let active = 0;
  return async (tool: string, args: unknown): Promise<Envelope> => {
    const startedAt = performance.now();
    const failed = (error: string): Envelope => ({ success: false, error, durationMs: performance.now() - startedAt });
    const found = tools.get(tool);
    if (found === undefined) return failed(`no tool ${tool}`);
    const parsed = found.schema.safeParse(args);
    if (!parsed.success) return failed(parsed.error.message);
    if (active >= slots) await new Promise<void>((resolve) => waiting.push(resolve));
    else active++;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), deadlineMs);
    try {
      const output = await found.run(parsed.data, { signal: controller.signal });
      return { success: true, output, durationMs: performance.now() - startedAt };
    } catch (error) {
      return failed(String(error));
    } finally {
      clearTimeout(timer);
      const next = waiting.shift();
      if (next) next();
      else active--;
    }
  };
}
