import type { CallContext, Engine, EngineOptions } from "../../src/engine/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { Hub, type HubLimits, type HubOptions } from "../../src/hub/index.ts";
import { type AnyTool, ToolRegistry } from "../../src/tool/index.ts";
import { type SampleHandler, sampleTool } from "./sample-tool.ts";

/** Sources and their priorities. */
export const priorities = { tools: 0, skills: 1, mcps: 2 } as const;

/** A tool and its source. */
export interface Offered {
  readonly tool: AnyTool;
  readonly source?: keyof typeof priorities;
  readonly owner?: string;
}

/** A registry, a hub over it and an engine that uses the hub. */
export interface World {
  readonly registry: ToolRegistry;
  readonly hub: Hub;
  readonly engine: Engine;
  readonly call: (name: string, args?: unknown, context?: CallContext) => ReturnType<Engine["call"]>;
}

/** Options of hubs and engines in tests. */
export type WorldOptions = Partial<Omit<HubOptions, "limits">> &
  EngineOptions & { readonly hubLimits?: Partial<HubLimits> };

/** Registers tools under a hub and an engine; without retries unless a test sets them. */
export function worldOf(offered: readonly (Offered | AnyTool)[], options: WorldOptions = {}): World {
  const { hubLimits = {}, ...input } = options;
  const registry = new ToolRegistry();
  for (const one of offered) {
    const { tool, source = "tools", owner = source } = "tool" in one ? one : { tool: one };
    registry.register(tool, { source, owner, priority: priorities[source] });
  }
  const hub = new Hub({ ...input, registry, limits: hubLimits });
  const limits = { maxRetries: 0, graceMs: 100, ...input.limits };
  const engine = createEngine({ ...input, limits, registry, resolver: hub });
  return { registry, hub, engine, call: (name, args = {}, context) => engine.call(name, args, context) };
}

/** Observations about a {@link timed} tool. */
export interface Seen {
  started: number;
  /** Times at which it was aborted and at which it answered, by the clock of the process. */
  readonly aborted: number[];
  readonly answered: number[];
  running: number;
}

/** A handler that answers after a delay, and stops immediately when it is aborted. */
export function timed(ms: number, answer: () => unknown): { readonly run: SampleHandler; readonly seen: Seen } {
  const seen: Seen = { started: 0, aborted: [], answered: [], running: 0 };
  const run: SampleHandler = (_args, { signal }) => {
    seen.started++;
    seen.running++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        seen.running--;
        seen.answered.push(performance.now());
        try {
          resolve(answer());
        } catch (error) {
          reject(error);
        }
      }, ms);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        seen.running--;
        seen.aborted.push(performance.now());
        reject(signal.reason as Error);
      });
    });
  };
  return { run, seen };
}

/** The same tool under three sources; a server takes part in it, since it is declared for the server. */
export function three(runs: readonly SampleHandler[], more: Parameters<typeof sampleTool>[1] = {}): Offered[] {
  const sources = ["tools", "skills", "mcps"] as const;
  return runs.map((run, at) => {
    const source = sources[at] ?? "tools";
    const declared = source === "mcps" ? { capabilities: ["work"] } : {};
    return { tool: sampleTool(run, { name: "work", ...declared, ...more }), source };
  });
}
