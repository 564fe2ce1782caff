import { FailureError, canonicalJson, nodeCrypto } from "../../base/index.ts";
import { type CallContext, type Engine } from "../../engine/index.ts";
import type { ResultShelf } from "../../hub/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import { showUnsafe, suggest } from "../../text/index.ts";
import {
  type AnyTool,
  type ToolResult,
  type WireNames,
  type WireProvider,
  createWireNames,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAITools,
} from "../../tool/index.ts";
import { type ShownResult, showResult } from "./show-result.ts";

/** How tools of an engine are offered to another framework's agent, and on whose behalf it calls them. */
export interface OfferOptions extends Pick<
  CallContext,
  | "callerId"
  | "principal"
  | "conversationId"
  | "timeoutMs"
  | "limitMs"
  | "maxRetries"
  | "priority"
  | "variables"
  | "onProgress"
  | "elicit"
> {
  /** Which tools, by name or as they are; every tool of the engine that can be called, where absent. */
  readonly tools?: readonly (AnyTool | string)[];
  /** Whose rules for names and schemas to keep: those of the API behind the model. `openai` where absent. */
  readonly provider?: WireProvider;
  /**
   * False where no text from outside gets into the conversation. True where absent, since nobody here sees what other
   * tools bring into it: then a destructive call is asked about even where a rule allows it, unless the rule says
   * `trusted`.
   */
  readonly tainted?: boolean;
  /** How much of an output a model gets to read, in characters; 20,000 where absent. */
  readonly maxChars?: number;
  /** Keeps what is too large to be read at once; offer `readResultTool(shelf)` as well, which reads on. */
  readonly shelf?: ResultShelf;
}

/** What a framework knows about one call. */
export interface OfferedCall {
  readonly args: unknown;
  readonly toolCallId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The conversation, where the options name none. */
  readonly conversationId?: string | undefined;
  readonly onProgress?: ((value: unknown) => unknown) | undefined;
}

/** One tool, as another framework sees it. */
export interface OfferedTool {
  /** Legal on the wire; the tool's own name wherever that is. */
  readonly name: string;
  readonly description: string;
  readonly displayName: string;
  readonly schema: JsonSchema;
  /** Makes the call; gives its result and what a model may read of it. Never throws. */
  call(asked: OfferedCall): Promise<OfferedResult>;
}

/** What came of a call. */
export interface OfferedResult extends ShownResult {
  readonly result: ToolResult;
}

const usualChars = 20_000;

/** The tools of an engine for another framework; every call goes through the engine. */
export function offerTools(engine: Engine, options: OfferOptions, framework: string): OfferedTool[] {
  const tools = chosenTools(engine, options);
  const { provider = "openai" } = options;
  const names = createWireNames(tools, provider);
  return tools.map((tool) => {
    const form = wireForm(tool, provider, names);
    // By name what the engine knows by it: a tool that is replaced later is then called as it is.
    const target = engine.tools.get(tool.name) === tool ? tool.name : tool;
    const argumentsOf = (args: unknown): unknown => names.argumentsFromWire(form.name, args ?? {});
    const offer = { engine, options, framework, target, argumentsOf };
    return { ...form, displayName: tool.displayName, call: (asked) => makeCall(offer, asked) };
  });
}

function chosenTools(engine: Engine, { tools }: OfferOptions): AnyTool[] {
  const all = (): AnyTool[] => engine.tools.list().map(({ tool }) => tool);
  return tools === undefined
    ? all().filter((tool) => engine.isAvailable(tool))
    : tools.map((tool) => (typeof tool === "string" ? toolNamed(engine, tool) : tool));
}

function toolNamed({ tools }: Engine, name: string): AnyTool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const near = suggest(name, tools.names());
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw new FailureError(`no tool is named ${JSON.stringify(showUnsafe(name))}${hint}`, { code: "tool_not_found" });
}

type WireForm = Pick<OfferedTool, "name" | "description" | "schema">;

function wireForm(tool: AnyTool, provider: WireProvider, names: WireNames): WireForm {
  const form = formsOf(tool, provider, names).find((each) => each !== undefined);
  // Every format gives one form for one tool.
  if (form === undefined) throw new TypeError(`${tool.name} has no form`);
  return form;
}

function formsOf(tool: AnyTool, provider: WireProvider, names: WireNames): (WireForm | undefined)[] {
  switch (provider) {
    case "openai":
      return toOpenAITools([tool], { names }).map(({ function: { parameters, ...form } }) => ({
        ...form,
        schema: parameters,
      }));
    case "anthropic":
      return toAnthropicTools([tool], { names }).map(({ input_schema: schema, ...form }) => ({ ...form, schema }));
    case "gemini":
      return toGeminiTools([tool], { names })
        .flatMap(({ functionDeclarations }) => functionDeclarations)
        .map(({ parameters = noParameters, ...form }) => ({ ...form, schema: parameters }));
    case "mcp":
      return toMcpTools([tool], { names }).map(({ name, description, inputSchema: schema }) => ({
        name,
        description,
        schema,
      }));
    default:
      return provider satisfies never;
  }
}

const noParameters: JsonSchema = { type: "object", properties: {} };

interface Offer {
  readonly engine: Engine;
  readonly options: OfferOptions;
  readonly framework: string;
  readonly target: AnyTool | string;
  /** Arguments with the parameter names that the tool declares. */
  readonly argumentsOf: (args: unknown) => unknown;
}

async function makeCall(offer: Offer, asked: OfferedCall): Promise<OfferedResult> {
  const { engine, options, target } = offer;
  const args = offer.argumentsOf(asked.args);
  const context = contextOf(offer, asked);
  const result = await (typeof target === "string"
    ? engine.call(target, args, context)
    : engine.call(target, args, context));
  const { maxChars = usualChars, shelf, principal } = options;
  const owner = { principal, conversationId: context.conversationId };
  return { result, ...(await showResult(result, { maxChars, shelf, owner, redactor: engine.redactor })) };
}

function contextOf({ options, framework, target }: Offer, asked: OfferedCall): CallContext {
  const { tools: _tools, provider: _provider, maxChars: _maxChars, shelf: _shelf, ...context } = options;
  const conversationId = options.conversationId ?? asked.conversationId;
  const idempotencyKey = keyOf(conversationId, asked, typeof target === "string" ? target : target.name);
  return {
    tainted: true,
    callerId: framework,
    ...context,
    // A model decides these calls, whatever else the options say.
    callerType: "conversation_agent",
    ...(conversationId !== undefined && { conversationId }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(asked.signal !== undefined && { signal: asked.signal }),
    ...(asked.onProgress !== undefined && { onProgress: bothOf(asked.onProgress, options.onProgress) }),
  };
}

function bothOf(one: (value: unknown) => unknown, other: ((value: unknown) => unknown) | undefined) {
  return other === undefined
    ? one
    : (value: unknown): void => {
        one(value);
        other(value);
      };
}

/**
 * The same when a framework makes a call again, such as after a crash. Only within a conversation: ids of calls are made
 * by models, some of which begin at `call_0` each time, so the arguments count as well.
 */
function keyOf(
  conversationId: string | undefined,
  { toolCallId, args }: OfferedCall,
  tool: string,
): string | undefined {
  if (conversationId === undefined || toolCallId === undefined || toolCallId === "") return undefined;
  const hash = nodeCrypto().createHash("sha256");
  try {
    return `${conversationId}/${hash.update(canonicalJson([toolCallId, tool, args])).digest("base64url")}`;
  } catch {
    // Arguments that hold themselves; the engine says what is wrong with them.
    return undefined;
  }
}
