import { FailureError, canonicalJson, nodeCrypto, type Failure, definedOnly, orElse } from "../../base/index.ts";
import { type CallContext, type Engine, type Passage, SeenUrls } from "../../engine/index.ts";
import { type ResultStore, type ResultOwner, redactOutput, viewResult } from "../../hub/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import { showUnsafe, suggestEnding, stripUnsafe } from "../../text/index.ts";
import {
  type AnyTool,
  type ToolResult,
  type WireNames,
  type WireProvider,
  createWireNames,
  isUsable,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAITools,
  type Attachment,
} from "../../tool/index.ts";
import type { Redactor } from "../../secrets/index.ts";

/**
 * Options for offering the tools of an engine to another framework's agent, and the caller on whose behalf it calls
 * them.
 */
export interface ExposeToolsOptions extends Pick<
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
  /** Tools to offer, by name or as objects. Default: every callable tool of the engine. */
  readonly tools?: readonly (AnyTool | string)[];
  /** The API behind the model, whose rules for names and schemas apply. Default: `openai`. */
  readonly provider?: WireProvider;
  /**
   * Set to false if no untrusted content can enter the conversation. Default: true, since the engine does not see what
   * other tools add to it. In a tainted conversation a destructive call needs approval even if a rule allows it, and so
   * does a request of a URL that appears in no prompt and no earlier result, unless the rule says `trusted`.
   */
  readonly tainted?: boolean;
  /** Maximum number of characters of an output that the model reads. Default: 20,000. */
  readonly maxChars?: number;
  /**
   * Stores results that are too large to be read at once; also offer `readResultTool(resultStore)`, which reads the
   * rest.
   */
  readonly resultStore?: ResultStore;
}

/** The framework's data about one call. */
export interface ExposedCall {
  readonly args: unknown;
  readonly toolCallId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The conversation, if the options do not name one. */
  readonly conversationId?: string | undefined;
  readonly onProgress?: ((value: unknown) => unknown) | undefined;
  /** The conversation so far, if the framework passes it: a URL that a prompt or a result brought may be requested. */
  readonly conversation?: readonly Passage[] | undefined;
}

/** One tool, as another framework sees it. */
export interface ExposedTool {
  /** A valid name on the wire; the tool's own name if that is valid. */
  readonly name: string;
  readonly description: string;
  readonly displayName: string;
  readonly schema: JsonSchema;
  /** Makes the call; returns its result and the text for the model. Never throws. */
  call(exposedCall: ExposedCall): Promise<ExposedResult>;
}

/** Result of a call, with the text for the model. */
export interface ExposedResult extends ModelReadableResult {
  readonly result: ToolResult;
}

const defaultChars = 20_000;

/** The tools of an engine for another framework; every call goes through the engine. */
export function exposeTools(engine: Engine, options: ExposeToolsOptions, framework: string): ExposedTool[] {
  const tools = chosenTools(engine, options);
  const { provider = "openai" } = options;
  const names = createWireNames(tools, provider);
  return tools.map((tool) => {
    const form = wireForm(tool, provider, names);
    // By name if the engine knows it by that name, so that a replaced tool is called in its new version.
    const target = engine.tools.get(tool.name) === tool ? tool.name : tool;
    const argumentsOf = (args: unknown): unknown => names.argumentsFromWire(form.name, args ?? {});
    const offer = { engine, options, framework, target, argumentsOf };
    return { ...form, displayName: tool.displayName, call: (exposedCall) => makeCall(offer, exposedCall) };
  });
}

function chosenTools(engine: Engine, { tools }: ExposeToolsOptions): AnyTool[] {
  const all = (): AnyTool[] => engine.tools.list().map(({ tool }) => tool);
  return tools === undefined
    ? all().filter((tool) => engine.isAvailable(tool) && engine.permits(tool, "conversation_agent") && isUsable(tool))
    : tools.map((tool) => (typeof tool === "string" ? toolNamed(engine, tool) : tool));
}

function toolNamed({ tools }: Engine, name: string): AnyTool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const hint = suggestEnding(name, tools.names());
  throw new FailureError(`no tool is named ${JSON.stringify(showUnsafe(name))}${hint}`, { code: "tool_not_found" });
}

type WireForm = Pick<ExposedTool, "name" | "description" | "schema">;

function wireForm(tool: AnyTool, provider: WireProvider, names: WireNames): WireForm {
  const form = formsOf(tool, provider, names).find((each) => each !== undefined);
  // Every format returns one definition for one tool.
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
  readonly options: ExposeToolsOptions;
  readonly framework: string;
  readonly target: AnyTool | string;
  /** Arguments with the parameter names that the tool declares. */
  readonly argumentsOf: (args: unknown) => unknown;
}

async function makeCall(offer: Offer, exposedCall: ExposedCall): Promise<ExposedResult> {
  const { engine, options, target } = offer;
  const args = offer.argumentsOf(exposedCall.args);
  const context = contextOf(offer, exposedCall);
  const result = await (typeof target === "string"
    ? engine.call(target, args, context)
    : engine.call(target, args, context));
  const { maxChars = defaultChars, resultStore, principal } = options;
  const owner = { principal, conversationId: context.conversationId };
  return {
    result,
    ...(await toModelReadableResult(result, { maxChars, resultStore, owner, redactor: engine.redactor })),
  };
}

function contextOf({ options, framework, target }: Offer, exposedCall: ExposedCall): CallContext {
  const { tools: _tools, provider: _provider, maxChars: _maxChars, resultStore: _resultStore, ...context } = options;
  const conversationId = options.conversationId ?? exposedCall.conversationId;
  const idempotencyKey = keyOf(conversationId, exposedCall, typeof target === "string" ? target : target.name);
  return {
    tainted: true,
    callerId: framework,
    ...context,
    // A model makes these calls, regardless of the options.
    callerType: "conversation_agent",
    ...definedOnly({ conversationId, idempotencyKey, signal: exposedCall.signal }),
    ...untrustedBy(exposedCall, options),
    ...(exposedCall.onProgress !== undefined && { onProgress: bothOf(exposedCall.onProgress, options.onProgress) }),
  };
}

/** Every argument of a tainted call is untrusted, but a URL that the model has read may be requested. */
function untrustedBy(
  { conversation }: ExposedCall,
  { tainted = true }: ExposeToolsOptions,
): Pick<CallContext, "untrustedArguments"> {
  if (!tainted || conversation === undefined) return {};
  const seen = new SeenUrls();
  for (const passage of conversation) seen.add(passage);
  return { untrustedArguments: { parameters: "all", knowsUrl: (url) => seen.has(url) } };
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
 * Stays the same when a framework repeats a call, such as after a crash. Only within a conversation: models generate
 * the ids of calls, and some start at `call_0` each time, so the arguments count as well.
 */
function keyOf(
  conversationId: string | undefined,
  { toolCallId, args }: ExposedCall,
  tool: string,
): string | undefined {
  if (conversationId === undefined || toolCallId === undefined || toolCallId === "") return undefined;
  const hash = nodeCrypto().createHash("sha256");
  // Circular arguments; the engine reports what is wrong with them.
  return orElse(
    () => `${conversationId}/${hash.update(canonicalJson([toolCallId, tool, args])).digest("base64url")}`,
    undefined,
  );
}

/** The part of a result that a model may read. */
interface ModelReadableResult {
  readonly text: string;
  /** True if the text is not the whole output. */
  readonly isCut: boolean;
}

/** Options of {@link toModelReadableResult}. */
interface ModelReadableOptions {
  readonly maxChars: number;
  readonly resultStore: ResultStore | undefined;
  readonly owner: ResultOwner;
  readonly redactor: Redactor;
}

/**
 * Converts a result to text for a model: without invisible characters and known secrets, and of bounded length. A
 * failure becomes a message that the model can act on.
 */
async function toModelReadableResult(result: ToolResult, options: ModelReadableOptions): Promise<ModelReadableResult> {
  if (!result.success) return { text: stripUnsafe(options.redactor.text(failureText(result.error))), isCut: false };
  const output = await redactOutput(result.output, options.redactor.known);
  const { text, isCut } = await viewResult({ ...result, output }, options);
  return { text: [text, ...(result.attachments ?? []).map(describe)].join("\n"), isCut };
}

/** Describes a failure to a model: what to change, which approval is missing, when to retry. */
function failureText({ code, forModel, approvalId, retryAfterMs }: Failure): string {
  const lines = [forModel];
  if (approvalId !== undefined) lines.push(`It waits for approval ${approvalId}.`);
  if (retryAfterMs !== undefined) lines.push(`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
  lines.push(`(${code})`);
  return lines.join("\n");
}

/** Placeholder text for an attachment. */
function describe({ kind, mimeType, name, data }: Attachment): string {
  const details = [name, mimeType, `${data.byteLength} bytes`].filter((each) => each !== undefined).join(", ");
  return stripUnsafe(`[${kind}: ${details}]`).replaceAll(/\s+/g, " ");
}
