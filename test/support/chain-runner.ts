import {
  ChainLibrary,
  type ChainSpec,
  type MockCall,
  type MockTools,
  type RunChainOptions,
  type RunEvent,
  type RunResult,
  type StepState,
  mockTools,
  runChain,
} from "../../src/chain.ts";
import type { MockAnswer, MockHandler } from "../../src/testing/chain/mock-tools.ts";
import { type Engine, type EngineOptions, createEngine } from "../../src/engine/index.ts";
import { FakeClock } from "./fake-clock.ts";

/** Options of a run in a test. */
export interface RunnerOptions extends Omit<RunChainOptions, "engine" | "chains" | "clock"> {
  /** Behaviors of mock tools by name; `*` stands for the rest. */
  readonly tools?: Readonly<Record<string, MockAnswer>>;
  /** Other chains that may be called. */
  readonly others?: readonly ChainSpec[];
  readonly clock?: FakeClock;
  readonly settings?: Omit<EngineOptions, "tools" | "clock">;
  /** Receives the engine and the clock before the run begins. */
  readonly onReady?: (ready: { readonly engine: Engine; readonly clock: FakeClock }) => void;
}

/** A run, and the observations about it. */
export interface Ran {
  readonly result: RunResult;
  readonly calls: readonly MockCall[];
  readonly tools: MockTools;
  readonly events: readonly RunEvent[];
  readonly clock: FakeClock;
  /** From the first to the last event. */
  readonly tookMs: number;
  /** The state of a step, by its path. */
  readonly state: (path: string) => StepState;
  /** Step to status, of the outermost chain. */
  readonly statuses: Readonly<Record<string, string>>;
}

/** Runs a chain of mock tools through the public API, on a clock that advances by itself. */
export async function runWith(spec: ChainSpec, options: RunnerOptions = {}): Promise<Ran> {
  const { tools: behaviours, others = [], clock = new FakeClock(), settings = {}, onReady, onEvent, ...more } = options;
  const chainNames = new Set(others.map(({ name }) => name));
  const names = [spec, ...others].flatMap((chain) => [...mockTools(chain)].map(({ name }) => name));
  const tools = mockTools(
    names.filter((name) => !chainNames.has(name)),
    behaviours,
  );
  const engine = createEngine({ ...settings, tools, clock });
  const chains = new ChainLibrary({ tools: engine.tools });
  for (const other of others) chains.add({ name: other.name, spec: other });
  const events: RunEvent[] = [];
  onReady?.({ engine, clock });
  const running = runChain(spec, {
    ...more,
    engine,
    chains,
    clock,
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  const result = await withTime(running, clock);
  const all = allStates(result.steps);
  return {
    result,
    calls: tools.calls,
    tools,
    events,
    clock,
    tookMs: result.endedAt - result.startedAt,
    statuses: Object.fromEntries(result.steps.map(({ step, status }) => [step.id, status])),
    state: (path) => {
      const state = all.get(path);
      if (state === undefined) throw new Error(`no step ${path}; there are ${[...all.keys()].join(", ")}`);
      return state;
    },
  };
}

/** Advances time until the work is done; a day is enough for anything. */
export async function withTime<T>(work: Promise<T>, clock: FakeClock): Promise<T> {
  const state = { isOver: false };
  const over = (): void => void (state.isOver = true);
  work.then(over, over);
  await clock.pass(0);
  for (let minutes = 0; !state.isOver && minutes < 24 * 60; minutes++) await clock.pass(60_000);
  if (!state.isOver) throw new Error("it is still not over after a day");
  return work;
}

function allStates(states: readonly StepState[], found = new Map<string, StepState>()): Map<string, StepState> {
  for (const state of states) {
    found.set(state.path, state);
    allStates(state.children ?? [], found);
  }
  return found;
}

/** A handler that takes this long on a fake clock, and stops immediately when it is aborted. */
export function taking(clock: FakeClock, ms: number, answer: unknown = "done"): MockHandler {
  return (_args, { signal }) =>
    new Promise((resolve, reject) => {
      const timer = clock.after(ms, () => resolve(answer));
      signal.addEventListener("abort", () => {
        timer.cancel();
        // The signal's reason is an error.
        reject(signal.reason as Error);
      });
    });
}

/** The same handler; `onAbort` is called when it is aborted. */
export function heard(handler: MockHandler, onAbort: () => void): MockHandler {
  return (args, context) => {
    context.signal.addEventListener("abort", onAbort);
    return handler(args, context);
  };
}
