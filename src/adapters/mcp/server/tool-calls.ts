import { type Clock, cliCommand, type Failure, orElse, definedOnly } from "../../../base/index.ts";
import { type ApprovalService, type CallContext, type Engine, elicitApproval } from "../../../engine/index.ts";
import { showUnsafe, suggestEnding } from "../../../text/index.ts";
import type { Elicit, ToolSuccess, Attachment, ToolResult } from "../../../tool/index.ts";
import { type JsonSchema, isRecord, fromJsonSchema } from "../../../schema/index.ts";
import { findToolsName } from "../../../hub/index.ts";
import { CallProgress } from "./call-progress.ts";
import type { ClientLink } from "./client-link.ts";
import type { ViewOutput, OutputView } from "./output-view.ts";
import type { CallToolResult, ServerSdk, ContentBlock } from "./sdk.ts";
import { ServedClient, onBehalfOf } from "./served-client.ts";
import type { ListedTool, ServedToolList } from "./tool-list.ts";

/** Origin of a call. */
export interface CallOrigin {
  /** The client's own name, which is not verified. */
  readonly client: string | undefined;
  /** Conversation of the client's session or connection; undefined if it has none. */
  readonly conversationId: string | undefined;
  /** Identifies the clients that share a token, if the protocol has no sessions. */
  readonly session: string | undefined;
  /** The principal of the client's token. Default: that of the server. */
  readonly principal?: string | undefined;
  /** False if the token does not allow its user to approve calls. */
  readonly mayApprove?: boolean | undefined;
}

/** Options of {@link ToolCalls}. */
export interface ToolCallsDeps {
  readonly sdk: ServerSdk;
  readonly engine: Engine;
  readonly list: ServedToolList;
  readonly clock: Clock;
  readonly view: ViewOutput;
  /** Stores the approvals given by a client's user; without it no approval is requested through the client. */
  readonly approvals: ApprovalService | undefined;
  readonly principal: string | undefined;
  /** Redacts secrets in the result of a call. */
  readonly redact: (result: ToolSuccess) => Promise<ToolSuccess>;
  /** Called when a call is over: it may have changed the tools. */
  readonly onCalled: () => void;
}

/** Makes the calls of clients, through the engine like any other. */
export class ToolCalls {
  readonly #parts: ToolCallsDeps;

  constructor(parts: ToolCallsDeps) {
    this.#parts = parts;
  }

  /**
   * Prepares a call as work that may request input from the client. Throws if the tool was not listed to the client.
   */
  prepare(
    wireName: string,
    args: unknown,
    { client, ...origin }: CallOrigin,
  ): (link: ClientLink, signal: AbortSignal) => Promise<CallToolResult> {
    const tool = this.#parts.list.find(wireName);
    if (tool === undefined) throw this.#unknown(wireName);
    const input = tool.argumentsOf(args ?? {});
    return (link, signal) =>
      this.#call(tool, input, {
        client: new ServedClient(link, this.#parts.sdk),
        signal,
        name: clientName(client),
        ...origin,
      });
  }

  async #call(tool: ListedTool, args: unknown, making: PreparedCall): Promise<CallToolResult> {
    const { engine, view, list, onCalled } = this.#parts;
    const { principal = this.#parts.principal, conversationId } = making;
    const redact = (text: string): string => engine.redactor.text(text);
    const progress = this.#progress(making, redact);
    const context = this.#context(making, progress);
    const result = await onBehalfOf(making.client, () => engine.call(tool.name, args, context));
    progress?.flush();
    onCalled();
    return toCallResult(result, {
      view: (shown) => view(shown, { principal, conversationId }),
      redact,
      redactResult: (input) => this.#parts.redact(withWireNames(input, list)),
      outputSchema: tool.wire.outputSchema,
      clientApproves: this.#approvalsOf(making) !== undefined,
    });
  }

  #context(making: PreparedCall, progress: CallProgress | undefined): CallContext {
    const { client, signal, name, conversationId, session, principal = this.#parts.principal } = making;
    const approvals = this.#approvalsOf(making);
    const canElicit = client.canElicit;
    // The user behind the client is prompted. A request that is dismissed stays pending in the store.
    const requestApproval = elicitApproval(
      (elicitation, withdrawn) => client.elicit(elicitation, { signal: withdrawn }),
      {
        by: name,
        declined: `declined in ${name}`,
      },
    );
    const approver = canElicit ? approvals?.approver(requestApproval) : undefined;
    return {
      callerType: "mcp_client",
      callerId: name,
      signal,
      ...definedOnly({ conversationId, session, principal }),
      ...(progress !== undefined && { onProgress: (value: unknown) => progress.report(value) }),
      ...(canElicit && { elicit: this.#elicit(client, approvals !== undefined) }),
      ...(approver !== undefined && { hooks: { approver, innerApprover: approver } }),
    };
  }

  /** The approvals that the user of the client may decide, if any. */
  #approvalsOf({ mayApprove = true }: PreparedCall): ApprovalService | undefined {
    return mayApprove ? this.#parts.approvals : undefined;
  }

  #elicit(client: ServedClient, approves: boolean): Elicit {
    const redact = (text: string): string => this.#parts.engine.redactor.text(text);
    const elicit: Elicit = ({ message, schema }, signal) =>
      client.elicit({ message: redact(message), schema: redactTexts(schema, redact) }, { signal });
    return Object.assign(elicit, { approves });
  }

  #progress({ client: { link } }: PreparedCall, redact: (text: string) => string): CallProgress | undefined {
    if (!link.wantsProgress) return undefined;
    return new CallProgress({ clock: this.#parts.clock, redact, send: (progress) => link.progress(progress) });
  }

  #unknown(wireName: string): Error {
    const { sdk, list } = this.#parts;
    const shown = showUnsafe(wireName.slice(0, 100));
    const hint = suggestEnding(wireName.slice(0, 100), list.wireNames());
    return new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `Unknown tool: ${shown}${hint}`);
  }
}

interface PreparedCall extends Omit<CallOrigin, "client"> {
  readonly client: ServedClient;
  readonly signal: AbortSignal;
  readonly name: string;
}

/** For records: an untrusted name. */
function clientName(name: string | undefined): string {
  const plain = (name ?? "").replaceAll(/[^\w .@-]+/g, "_").slice(0, 64);
  return plain === "" ? "mcp" : `mcp:${plain}`;
}

/** Redacts the texts of a schema. Its property names stay: a field called `password` requests one and contains none. */
function redactTexts(schema: JsonSchema, redact: (text: string) => string): JsonSchema {
  const inside = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(inside);
    return isRecord(value) ? redactTexts(value, redact) : value;
  };
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inside(value)]));
}

/** The output of `find_tools` with the wire names by which a client calls the tools; any other result is unchanged. */
function withWireNames(result: ToolSuccess, list: Pick<ServedToolList, "wireNameOf">): ToolSuccess {
  const { tool, output } = result;
  if (tool !== findToolsName || !isRecord(output) || !Array.isArray(output["tools"])) return result;
  const tools = output["tools"].map((found: unknown) => {
    const name = isRecord(found) ? found["name"] : undefined;
    return isRecord(found) && typeof name === "string" ? { ...found, name: list.wireNameOf(name) ?? name } : found;
  });
  return { ...result, output: { ...output, tools } };
}

/** Options of {@link toCallResult}. */
interface CallResultDeps {
  readonly view: (result: ToolSuccess) => OutputView | Promise<OutputView>;
  /** Redacts secrets in texts. */
  readonly redact: (text: string) => string;
  /** Redacts secrets in an output. */
  readonly redactResult: (result: ToolSuccess) => Promise<ToolSuccess>;
  /** The schema of the structured content that the tool declares. */
  readonly outputSchema: JsonSchema | undefined;
  /** True if the user at the client may approve calls. Only then does the text explain how. */
  readonly clientApproves: boolean;
}

/** Maximum size of all attachments together. */
const maxBytes = 8 << 20;

/** Converts the result of a call for a client. A failure is a result too: its text says what the model should do. */
export async function toCallResult(result: ToolResult, parts: CallResultDeps): Promise<CallToolResult> {
  if (!result.success) {
    return { content: [text(parts.redact(failureText(result.error, parts.clientApproves)))], isError: true };
  }
  // Once, before any conversion: the text, the stored result and the structured content derive from one output.
  const safe = await parts.redactResult(result);
  const { output, attachments = [], meta } = safe;
  const attached = attachedTo(attachments, meta.callId, parts.redact);
  if (output === undefined || (output === null && attached.length > 0)) return { content: attached };
  const { text: shown, isCut } = await parts.view(safe);
  const content = shown === "" && attached.length > 0 ? attached : [text(shown), ...attached];
  if (!isRecord(output)) return { content };
  if (isCut) return withoutStructure(content, tooLarge, parts);
  const isAsPromised = output === result.output || fits(output, parts.outputSchema);
  return isAsPromised ? { content, structuredContent: output } : withoutStructure(content, notAsPromised, parts);
}

/** The text alone. The protocol allows a tool that declares structured content to omit it only in an error. */
function withoutStructure(
  content: ContentBlock[],
  why: ContentBlock,
  { outputSchema }: CallResultDeps,
): CallToolResult {
  return outputSchema === undefined ? { content } : { content: [why, ...content], isError: true };
}

/** A redacted secret may have been a number, so the output may violate the schema. */
function fits(output: unknown, schema: JsonSchema | undefined): boolean {
  return orElse(() => schema === undefined || fromJsonSchema(schema).validate(output).issues === undefined, false);
}

const succeeded = "The tool ran and succeeded; do not call it again for this.";
const tooLarge: ContentBlock = text(`${succeeded} Its output is too large to be returned completely. It begins with:`);
const notAsPromised: ContentBlock = text(`${succeeded} Its output, with secrets redacted, is:`);

function failureText({ code, forModel, approvalId, retryAfterMs }: Failure, clientApproves: boolean): string {
  const lines = [forModel];
  if (approvalId !== undefined) {
    const how = clientApproves
      ? `: ${cliCommand(`approve ${approvalId}`)}`
      : ", which only the operator of this server can give.";
    lines.push(`It waits for approval ${approvalId}${how}`, "After that, repeat the same call.");
  }
  if (retryAfterMs !== undefined) lines.push(`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
  lines.push(`(${code})`);
  return lines.join("\n");
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}

function attachedTo(
  attachments: readonly Attachment[],
  callId: string,
  redact: (text: string) => string,
): ContentBlock[] {
  let left = maxBytes;
  return attachments.map((attachment, index) => {
    const { name, kind, data } = attachment;
    left -= data.byteLength;
    const uri = redact(`attachment://${encodeURIComponent(callId)}/${attachmentName(attachment, index)}`);
    if (left >= 0) return toContent(attachment, uri, redact);
    return text(redact(`[not handed over: ${name ?? kind}, ${data.byteLength} bytes, too large]`));
  });
}

function attachmentName({ name }: Attachment, index: number): string {
  return encodeURIComponent((name ?? String(index + 1)).toWellFormed());
}

function toContent({ kind, mimeType, data }: Attachment, uri: string, redact: (text: string) => string): ContentBlock {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (kind !== "file") return { type: kind, data: bytes.toString("base64"), mimeType };
  const body = isText(mimeType) ? { text: redact(bytes.toString("utf8")) } : { blob: bytes.toString("base64") };
  return { type: "resource", resource: { uri, mimeType, ...body } };
}

function isText(mimeType: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|javascript)\b/.test(mimeType);
}
