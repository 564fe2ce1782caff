import { type Attributes, type Span, SpanKind } from "@opentelemetry/api";
import type { AgentObserver, AgentResult, ObservedAgentRun, ObservedTurn } from "../../agent/index.ts";
import { type ModelTurn, toolCallsOf, type TokenUsage } from "../../model/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { CapturedContent } from "./captured-content.ts";
import { type OpenSpans, runInSpan, recordSpanFailure } from "./open-spans.ts";

/** Creates a span for each run of an agent, with a child span for each request to its model, retries included. */
export class AgentSpans implements AgentObserver {
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
    const { modelId } = turn.model;
    const options = { kind: SpanKind.CLIENT, attributes: requestAttributes(turn) };
    const begun = this.#open.begin(`chat ${modelId}`, options, this.#open.runs.get(turn.runId)?.context);
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
