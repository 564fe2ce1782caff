import { deadlineMs } from "./workload.ts";

/** A tool without a framework: a schema and a function. */
export interface HandTool {
  readonly schema: {
    safeParse(
      value: unknown,
    ): { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error: Error };
  };
  /** Receives the parsed arguments. */
  readonly run: (args: never, context: { readonly signal: AbortSignal }) => unknown;
}

export type Envelope =
  | { readonly success: true; readonly output: unknown; readonly durationMs: number }
  | { readonly success: false; readonly error: string; readonly durationMs: number };

/** A careful implementation by hand: lookup, parsing, a slot, a timeout, an abort signal, a result envelope. */
export function guarded(tools: ReadonlyMap<string, HandTool>, slots: number) {
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
      // The function accepts the output of its schema.
      const output = await found.run(parsed.data as never, { signal: controller.signal });
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

/** Returns the output of the call; throws if it failed. */
export function outputOf(envelope: Envelope): unknown {
  if (!envelope.success) throw new Error(envelope.error);
  return envelope.output;
}
