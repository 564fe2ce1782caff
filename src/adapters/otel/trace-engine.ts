import { ProxyTracerProvider, type Tracer, type TracerProvider, trace } from "@opentelemetry/api";
import type { AgentObserver } from "../../agent/index.ts";
import type { RunObserver } from "../../chain/index.ts";
import type { Engine } from "../../engine/index.ts";
import { AgentSpans } from "./agent-spans.ts";
import { CallSpans, callEvents } from "./call-spans.ts";
import { CapturedContent } from "./captured-content.ts";
import { chainSpans } from "./chain-spans.ts";
import { flushSpans } from "./flush-spans.ts";
import { OpenSpans } from "./open-spans.ts";

/** How an engine is traced. */
export interface TracingOptions {
  /** Who makes the spans; the provider that is registered with `@opentelemetry/api` where absent. */
  readonly tracerProvider?: TracerProvider;
  /** Prompts, answers, arguments and outputs go into the spans too, secrets redacted; they do not where absent. */
  readonly captureContent?: boolean;
}

/** An engine that is traced, and what agents and chains have to be given to be traced as well. */
export interface Tracing {
  /** False where nobody would make spans of anything: then nothing was set up, and calls cost what they cost before. */
  readonly active: boolean;
  /** For `createAgent`. */
  readonly agents: AgentObserver | undefined;
  /** For `runChain` and `ChainRuns`. */
  readonly chains: RunObserver | undefined;
  /** No span begins from now on. What the provider holds back to send it later is sent, unless that takes too long. */
  close(): Promise<void>;
}

const inactive: Tracing = { active: false, agents: undefined, chains: undefined, close: () => Promise.resolve() };

/**
 * Makes spans of what an engine does, by the semantic conventions for generative AI. Register an SDK first: where none is
 * registered, nothing is traced.
 *
 * @example
 * ```ts
 * const tracing = traceEngine(engine);
 * const agent = createAgent({ engine, model, observer: tracing.agents });
 * ```
 */
export function traceEngine(engine: Engine, options: TracingOptions = {}): Tracing {
  const provider = options.tracerProvider ?? trace.getTracerProvider();
  const tracer = tracerOf(provider);
  if (tracer === undefined) return inactive;
  const open = new OpenSpans(tracer);
  const content = options.captureContent === true ? new CapturedContent(engine.redactor) : undefined;
  const calls = new CallSpans(open, content);
  const ends = [engine.subscribe((event) => calls.hear(event), callEvents), engine.surround(calls.surround)];
  return {
    active: true,
    agents: new AgentSpans(open, content),
    chains: chainSpans(open),
    close: () => {
      for (const end of ends) end();
      return flushSpans(provider);
    },
  };
}

/** Undefined where nobody has registered a provider: the API would make objects that do nothing, one for each call. */
function tracerOf(provider: TracerProvider): Tracer | undefined {
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(scope) : provider.getTracer(scope);
}

/** The name of the instrumentation, in the spans. */
const scope = "windlass";
