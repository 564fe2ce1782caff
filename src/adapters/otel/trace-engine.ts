import {
  ProxyTracerProvider,
  type TracerProvider,
  trace,
  type Span,
  SpanKind,
  type Attributes,
  type Context,
  context,
} from "@opentelemetry/api";
import type { AgentObserver, AgentResult, ObservedAgentRun, ObservedTurn } from "../../agent/index.ts";
import type { RunObserver, RunFacts } from "../../chain/index.ts";
import type {
  Engine,
  EngineEvent,
  ExecutionCompleted,
  ExecutionFailed,
  ExecutionStarted,
  HandlerWrapper,
} from "../../engine/index.ts";
import { type Clock, settlesWithin, systemClock } from "../../base/index.ts";
import { type ModelTurn, toolCallsOf, type TokenUsage } from "../../model/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import { CapturedContent } from "./captured-content.ts";
import { OpenSpans, recordSpanFailure, type OpenSpan, runInSpan } from "./open-spans.ts";

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
  const tracer =
    provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(scope) : provider.getTracer(scope);
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
  const proxy = provider as TracerProvider & { getDelegate?(): TracerProvider };
  const sdk = (proxy.getDelegate?.() ?? provider) as { forceFlush?(): Promise<void> };
  try {
    await settlesWithin(Promise.resolve(sdk.forceFlush?.()), maxFlushMs, clock);
  } catch {
    // The SDK reports the error itself.
  }
}

/** The events that spans of calls are created from. */
const callEvents = ["execution_started", "execution_completed", "execution_failed"] as const;

type Ended = ExecutionCompleted | ExecutionFailed;

/** Creates a span for each call of a tool, from the start of its handler. */
class CallSpans {
  readonly #open: OpenSpans;
  readonly #content: CapturedContent | undefined;

  constructor(open: OpenSpans, content: CapturedContent | undefined) {
    this.#open = open;
    this.#content = content;
  }

  /** Handles an event of the engine. */
  onEvent(event: EngineEvent): void {
    if (event.type === "execution_started") {
      this.#open.calls.set(event.callId, { ...this.#begin(event), runId: event.workflowId });
    } else if (event.type === "execution_completed" || event.type === "execution_failed") this.#end(event);
  }

  /** Runs a handler inside the span of its call, so that its requests and logs become children. */
  readonly wrapHandler: HandlerWrapper = (call, handle) => {
    const open = this.#open.calls.get(call.callId);
    if (open === undefined) return handle();
    const content = open.span.isRecording() ? this.#content : undefined;
    content?.recordArguments(open.span, call.args);
    const returned = context.with(open.context, handle);
    content?.recordOutput(open.span, returned);
    return returned;
  };

  #end(event: Ended): void {
    const open = this.#open.calls.get(event.callId);
    this.#open.calls.delete(event.callId);
    // A cached call, or one rejected before its handler: the span is created once all its data is known.
    const { span } = open ?? this.#begin(event, event.at - event.durationMs);
    if (event.type === "execution_failed") recordSpanFailure(span, event.error);
    else if (event.cached) span.setAttribute("windlass.cached", true);
    endAt(span, open === undefined ? event.at : undefined);
  }

  #begin(event: ExecutionStarted | Ended, startTime?: number): OpenSpan {
    const { parent, modelId } = this.#parent(event);
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": event.tool,
      "gen_ai.tool.type": "function",
      "windlass.call.id": event.callId,
      "windlass.caller.type": event.callerType,
      ...(modelId !== undefined && { "gen_ai.tool.call.id": modelId }),
      ...(event.conversationId !== undefined && { "gen_ai.conversation.id": event.conversationId }),
      ...(event.workflowId !== undefined && { "windlass.run.id": event.workflowId }),
    };
    const options = { kind: SpanKind.INTERNAL, attributes, ...(startTime !== undefined && { startTime }) };
    return this.#open.begin(`execute_tool ${event.tool}`, options, parent);
  }

  /** Child of the calling call; or of the run, if the run makes the call, also within another call. */
  #parent({ parentId, workflowId, callerId }: ExecutionStarted | Ended): SpanParent {
    const { calls, runs } = this.#open;
    const caller = parentId === undefined ? undefined : calls.get(parentId);
    if (caller !== undefined && caller.runId === workflowId) return { parent: caller.context };
    const run = workflowId === undefined ? undefined : runs.get(workflowId);
    if (run === undefined) return { parent: caller?.context };
    // The key of a call in its run ends with the attempt number.
    const modelId = run.modelIds.get(callerId?.slice(0, callerId.lastIndexOf("#")) ?? "");
    return { parent: run.context, modelId };
  }
}

interface SpanParent {
  /** Undefined for the active context. */
  readonly parent: Context | undefined;
  readonly modelId?: string | undefined;
}

function endAt(span: Span, time: number | undefined): void {
  if (time === undefined) span.end();
  else span.end(time);
}

/** Creates a span for each run of an agent, with a child span for each request to its model, retries included. */
class AgentSpans implements AgentObserver {
  readonly #open: OpenSpans;
  readonly #content: CapturedContent | undefined;

  constructor(open: OpenSpans, content: CapturedContent | undefined) {
    this.#open = open;
    this.#content = content;
  }

  run(run: ObservedAgentRun, execute: () => Promise<AgentResult>): Promise<AgentResult> {
    const { runId, conversationId, runner, resumed } = run;
    const attributes: Attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": runner,
      "gen_ai.conversation.id": conversationId,
      "windlass.run.id": runId,
      ...(resumed && { "windlass.run.resumed": true }),
    };
    const begun = this.#open.begin(`invoke_agent ${runner}`, { kind: SpanKind.INTERNAL, attributes });
    this.#content?.recordPrompt(begun.span, run.prompt);
    return this.#open.run(runId, begun, { execute, record: (span, result) => this.#recordRun(span, result) });
  }

  turn(turn: ObservedTurn, request: () => Promise<ToolResult<ModelTurn>>): Promise<ToolResult<ModelTurn>> {
    const options = { kind: SpanKind.CLIENT, attributes: requestAttributes(turn) };
    const begun = this.#open.begin(`chat ${turn.model.modelId}`, options, this.#open.runs.get(turn.runId)?.context);
    this.#content?.recordModelPrompt(begun.span, turn.call.prompt);
    return runInSpan(begun, { execute: request, record: (span, result) => this.#recordTurn(span, turn, result) });
  }

  #recordRun(span: Span, { status, rounds, usage, error, answer }: AgentResult): void {
    span.setAttributes({
      "windlass.run.status": status,
      "windlass.agent.rounds": rounds,
      ...usageAttributes(usage),
    });
    if (error !== undefined) recordSpanFailure(span, error);
    if (answer !== "") this.#content?.recordAnswer(span, answer);
  }

  #recordTurn(span: Span, { runId, key }: ObservedTurn, result: ToolResult<ModelTurn>): void {
    if (!result.success) return recordSpanFailure(span, result.error);
    const turn = result.output;
    span.setAttributes({
      "gen_ai.response.model": turn.modelId,
      "gen_ai.response.finish_reasons": [turn.finishReason.replaceAll("-", "_")],
      ...usageAttributes(turn.usage),
    });
    this.#content?.recordTurn(span, turn);
    const modelIds = this.#open.runs.get(runId)?.modelIds;
    for (const [index, { id }] of toolCallsOf(turn).entries()) modelIds?.set(`${key}.${index}`, id);
  }
}

function requestAttributes({ model, call, conversationId, runId }: ObservedTurn): Attributes {
  const { maxOutputTokens, temperature, responseFormat } = call;
  return {
    "gen_ai.operation.name": "chat",
    ...providerAttributes(model.provider),
    "gen_ai.request.model": model.modelId,
    "gen_ai.conversation.id": conversationId,
    "gen_ai.output.type": responseFormat?.type === "json" ? "json" : "text",
    "windlass.run.id": runId,
    ...(maxOutputTokens !== undefined && { "gen_ai.request.max_tokens": maxOutputTokens }),
    ...(temperature !== undefined && { "gen_ai.request.temperature": temperature }),
  };
}

/** Token usage, by the attribute names of the semantic conventions. */
function usageAttributes(usage: TokenUsage): Attributes {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens, cost, estimated } = usage;
  return {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    ...(cachedTokens !== undefined && { "gen_ai.usage.cache_read.input_tokens": cachedTokens }),
    ...(cacheWriteTokens !== undefined && { "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { "gen_ai.usage.reasoning.output_tokens": reasoningTokens }),
    ...(cost !== undefined && { "windlass.usage.cost": cost }),
    ...(estimated === true && { "windlass.usage.estimated": true }),
  };
}

/** Patterns of provider names and addresses, with their names in the semantic conventions. */
const known: readonly (readonly [part: RegExp, name: string])[] = [
  [/azure/, "azure.ai.openai"],
  [/openai/, "openai"],
  [/anthropic/, "anthropic"],
  [/vertex|aiplatform/, "gcp.vertex_ai"],
  [/google|gemini/, "gcp.gemini"],
  [/bedrock/, "aws.bedrock"],
  [/mistral/, "mistral_ai"],
  [/deepseek/, "deepseek"],
  [/groq/, "groq"],
  [/(?:^|\.)x\.?ai\b/, "x_ai"],
  [/cohere/, "cohere"],
  [/perplexity/, "perplexity"],
  [/watsonx/, "ibm.watsonx.ai"],
];

/** Suffixes of provider names in the AI SDK. Any other name with more than one dot is an address. */
const service = /\.(?:chat|messages|responses|completion|generative-ai)$/;

/** Provider and server address: a model configured by address has that address as its provider. */
export function providerAttributes(provider: string): Attributes {
  const [, host = "", port] = /^(.*?)(?::(\d+))?$/.exec(provider) ?? [];
  const isAddress = port !== undefined || (host.split(".").length > 2 && !service.test(host));
  // A server at any other address uses OpenAI's protocol.
  const other = isAddress ? "openai" : host.split(".")[0] || "_OTHER";
  return {
    "gen_ai.provider.name": known.find(([part]) => part.test(host))?.[1] ?? other,
    ...(isAddress && { "server.address": host }),
    ...(port !== undefined && { "server.port": Number(port) }),
  };
}
