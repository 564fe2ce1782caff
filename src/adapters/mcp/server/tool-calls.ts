import type { Clock } from "../../../base/index.ts";
import { type CallContext, type Engine, elicitApproval, storedApprover } from "../../../engine/index.ts";
import type { ApprovalStore } from "../../../store/index.ts";
import { showUnsafe, suggest } from "../../../text/index.ts";
import type { Elicit, ToolSuccess } from "../../../tool/index.ts";
import { CallProgress } from "./call-progress.ts";
import { toCallResult } from "./call-result.ts";
import type { ClientLink } from "./client-link.ts";
import type { ViewOutput } from "./output-view.ts";
import type { CallToolResult, ServerSdk } from "./sdk.ts";
import { ServedClient, onBehalfOf } from "./served-client.ts";
import type { ListedTool, ServedToolList } from "./tool-list.ts";
import { type JsonSchema, isRecord } from "../../../schema/index.ts";
import { findToolsName } from "../../../hub/index.ts";

/** Origin of a call. */
export interface CallOrigin {
  /** The client's own name, which is not verified. */
  readonly client: string | undefined;
  /** Conversation of the client's session or connection; undefined if it has none. */
  readonly conversationId: string | undefined;
  /** Identifies the clients that share a token, if the protocol has no sessions. */
  readonly session: string | undefined;
}

/** Options of {@link ToolCalls}. */
export interface ToolCallsDeps {
  readonly sdk: ServerSdk;
  readonly engine: Engine;
  readonly list: ServedToolList;
  readonly clock: Clock;
  readonly view: ViewOutput;
  /** Stores the approvals given by a client's user; without it no approval is requested through the client. */
  readonly approvals: ApprovalStore | undefined;
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
    { client, conversationId, session }: CallOrigin,
  ): (link: ClientLink, signal: AbortSignal) => Promise<CallToolResult> {
    const { list, sdk } = this.#parts;
    const tool = list.find(wireName);
    if (tool === undefined) throw this.#unknown(wireName);
    const input = tool.argumentsOf(args ?? {});
    return (link, signal) =>
      this.#call(tool, input, {
        client: new ServedClient(link, sdk),
        signal,
        name: clientName(client),
        conversationId,
        session,
      });
  }

  async #call(tool: ListedTool, args: unknown, making: PreparedCall): Promise<CallToolResult> {
    const { engine, view, list, onCalled, principal, approvals } = this.#parts;
    const { conversationId } = making;
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
      clientApproves: approvals !== undefined,
    });
  }

  #context(
    { client, signal, name, conversationId, session }: PreparedCall,
    progress: CallProgress | undefined,
  ): CallContext {
    const { approvals, clock, principal } = this.#parts;
    const canElicit = client.canElicit;
    // The user behind the client is prompted. A request that is dismissed stays pending in the store.
    const requestApproval = elicitApproval(
      (elicitation, withdrawn) => client.elicit(elicitation, { signal: withdrawn }),
      {
        by: name,
        declined: `declined in ${name}`,
      },
    );
    const approver = canElicit && approvals ? storedApprover(approvals, clock, requestApproval) : undefined;
    return {
      callerType: "mcp_client",
      callerId: name,
      signal,
      ...(conversationId !== undefined && { conversationId }),
      ...(session !== undefined && { session }),
      ...(principal !== undefined && { principal }),
      ...(progress !== undefined && { onProgress: (value: unknown) => progress.report(value) }),
      ...(canElicit && { elicit: this.#elicit(client) }),
      ...(approver !== undefined && { hooks: { approver, innerApprover: approver } }),
    };
  }

  #elicit(client: ServedClient): Elicit {
    const { engine, approvals } = this.#parts;
    const redact = (text: string): string => engine.redactor.text(text);
    const elicit: Elicit = ({ message, schema }, signal) =>
      client.elicit({ message: redact(message), schema: redactTexts(schema, redact) }, { signal });
    return Object.assign(elicit, { approves: approvals !== undefined });
  }

  #progress({ client: { link } }: PreparedCall, redact: (text: string) => string): CallProgress | undefined {
    if (!link.wantsProgress) return undefined;
    return new CallProgress({ clock: this.#parts.clock, redact, send: (progress) => link.progress(progress) });
  }

  #unknown(wireName: string): Error {
    const { sdk, list } = this.#parts;
    const shown = showUnsafe(wireName.slice(0, 100));
    const close = suggest(wireName.slice(0, 100), list.wireNames());
    const hint = close === undefined ? "" : `; did you mean "${close}"?`;
    return new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `Unknown tool: ${shown}${hint}`);
  }
}

interface PreparedCall extends Pick<CallOrigin, "conversationId" | "session"> {
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
