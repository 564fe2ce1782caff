import { type Attributes, type Span, SpanKind } from "@opentelemetry/api";
import type { AgentObserver, AgentResult, ObservedAgentRun, ObservedTurn } from "../../agent/index.ts";
import { type ModelTurn, toolCallsOf } from "../../model/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { CapturedContent } from "./captured-content.ts";
import { type OpenSpans, inside } from "./open-spans.ts";
import { providerAttributes } from "./provider-attributes.ts";
import { tellFailure } from "./tell-failure.ts";
import { usageAttributes } from "./usage-attributes.ts";

/** A span for each run of an agent, and below it one for each question to its model, tried again or not. */
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
    this.#content?.tellQuestion(begun.span, run.question);
    return this.#open.run(runId, begun, { execute, tell: (span, result) => this.#tellRun(span, result) });
  }

  turn(turn: ObservedTurn, ask: () => Promise<ToolResult<ModelTurn>>): Promise<ToolResult<ModelTurn>> {
    const { modelId } = turn.model;
    const options = { kind: SpanKind.CLIENT, attributes: requestAttributes(turn) };
    const begun = this.#open.begin(`chat ${modelId}`, options, this.#open.runs.get(turn.runId)?.context);
    this.#content?.tellPrompt(begun.span, turn.call.prompt);
    return inside(begun, { execute: ask, tell: (span, result) => this.#tellTurn(span, turn, result) });
  }

  #tellRun(span: Span, { status, rounds, usage, error, answer }: AgentResult): void {
    span.setAttributes({
      "windlass.run.status": status,
      "windlass.agent.rounds": rounds,
      ...usageAttributes(usage),
    });
    if (error !== undefined) tellFailure(span, error);
    if (answer !== "") this.#content?.tellAnswer(span, answer);
  }

  #tellTurn(span: Span, { runId, key }: ObservedTurn, result: ToolResult<ModelTurn>): void {
    if (!result.success) return tellFailure(span, result.error);
    const turn = result.output;
    span.setAttributes({
      "gen_ai.response.model": turn.modelId,
      "gen_ai.response.finish_reasons": [turn.finishReason.replaceAll("-", "_")],
      ...usageAttributes(turn.usage),
    });
    this.#content?.tellTurn(span, turn);
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
