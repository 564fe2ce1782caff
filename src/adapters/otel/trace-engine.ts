import { ProxyTracerProvider, type Tracer, type TracerProvider, trace, type Span, SpanKind } from "@opentelemetry/api";
import type { AgentObserver } from "../../agent/index.ts";
import type { RunObserver, RunFacts } from "../../chain/index.ts";
import type { Engine } from "../../engine/index.ts";
import { AgentSpans } from "./agent-spans.ts";
import { CallSpans, callEvents } from "./call-spans.ts";
import { CapturedContent } from "./captured-content.ts";
import { OpenSpans } from "./open-spans.ts";
import { recordSpanFailure } from "./record-span-failure.ts";
import { type Clock, systemClock } from "../../base/index.ts";

/** Options for tracing an engine. */
export interface TracingOptions {
  /** Creates the spans. Default: the provider registered with `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider;
  /** Record prompts, responses, arguments and outputs in the spans, with secrets redacted. Default: false. */
  readonly captureContent?: boolean;
}

/** The tracing of an engine, with the observers that agents and chains need to be traced as well. */
export interface Tracing {
  /** False if there is no tracer provider: then nothing was set up, and calls have no overhead. */
  readonly active: boolean;
  /** For `createAgent`. */
  readonly agents: AgentObserver | undefined;
  /** For `runChain` and `ChainRuns`. */
  readonly chains: RunObserver | undefined;
  /** Creates no more spans. Flushes the spans that the provider has batched, unless that takes too long. */
  close(): Promise<void>;
}

const inactive: Tracing = { active: false, agents: undefined, chains: undefined, close: () => Promise.resolve() };

/**
 * Creates spans for the work of an engine, by the semantic conventions for generative AI. Register an SDK first:
 * without one, nothing is traced.
 *
 * @example
 * ```ts
 * const tracing = traceEngine(engine);
 * const agent = createAgent({ engine, model, observer: tracing.agents });
 * ```
 *
 * @see docs/guide/interop.md
 */
export function traceEngine(engine: Engine, options: TracingOptions = {}): Tracing {
  const provider = options.tracerProvider ?? trace.getTracerProvider();
  const tracer = tracerOf(provider);
  if (tracer === undefined) return inactive;
  const open = new OpenSpans(tracer, engine.redactor);
  const content = options.captureContent === true ? new CapturedContent(engine.redactor) : undefined;
  const calls = new CallSpans(open, content);
  const ends = [engine.subscribe((event) => calls.onEvent(event), callEvents), engine.wrapHandlers(calls.wrapHandler)];
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

/** Undefined if no provider is registered: the API would create no-op objects for each call. */
function tracerOf(provider: TracerProvider): Tracer | undefined {
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(scope) : provider.getTracer(scope);
}

/** Instrumentation scope of the spans. */
const scope = "windlass";

/** Creates a span for each run of a chain; the calls of its steps are children. */
function chainSpans(open: OpenSpans): RunObserver {
  return {
    run: ({ runId, chain, resumed }, execute) => {
      const attributes = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": chain,
        "windlass.run.id": runId,
        ...(resumed && { "windlass.run.resumed": true }),
      };
      const begun = open.begin(`invoke_workflow ${chain}`, { kind: SpanKind.INTERNAL, attributes });
      return open.run(runId, begun, { execute, record: (span, { facts }) => recordRunStatus(span, facts) });
    },
  };
}

function recordRunStatus(span: Span, { status, error }: RunFacts): void {
  span.setAttribute("windlass.run.status", status);
  if (error !== undefined) recordSpanFailure(span, error);
}

/** An unresponsive collector must not delay the shutdown for longer. */
const maxFlushMs = 2000;

/** Flushes the spans that a provider has batched, which would be lost when the process ends. Never throws. */
export async function flushSpans(provider: TracerProvider, clock: Clock = systemClock): Promise<void> {
  // The API registers a proxy that knows the SDK's provider; it may belong to another copy of the API.
  // Providers of an SDK have this method; the interface of the API does not.
  const sdk = ("getDelegate" in provider ? (provider as ProviderProxy).getDelegate() : provider) as {
    forceFlush?(): Promise<void>;
  };
  const late = Promise.withResolvers<void>();
  const timer = clock.after(maxFlushMs, late.resolve);
  try {
    await Promise.race([sdk.forceFlush?.(), late.promise]);
  } catch {
    // The SDK reports the error itself.
  } finally {
    timer.cancel();
  }
}

interface ProviderProxy extends TracerProvider {
  getDelegate(): TracerProvider;
}
