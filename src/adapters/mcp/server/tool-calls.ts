import type { Clock } from "../../../base/index.ts";
import type { CallContext, Engine } from "../../../engine/index.ts";
import type { ApprovalStore } from "../../../store/index.ts";
import { showUnsafe, suggest } from "../../../text/index.ts";
import type { Elicit, ToolSuccess } from "../../../tool/index.ts";
import { CallProgress } from "./call-progress.ts";
import { toCallResult } from "./call-result.ts";
import type { ClientLink } from "./client-link.ts";
import { elicitingApprover } from "./eliciting-approver.ts";
import type { ViewOutput } from "./output-view.ts";
import { redactTexts } from "./redact-texts.ts";
import type { CallToolResult, ServerSdk } from "./sdk.ts";
import { ServedClient, onBehalfOf } from "./served-client.ts";
import type { ListedTool, ToolList } from "./tool-list.ts";
import { withWireNames } from "./wire-names-in.ts";

/** Who makes a call. */
export interface CallFrom {
  /** What the client calls itself, which anybody can. */
  readonly client: string | undefined;
  /** Of the client's session or connection; undefined where it has none. */
  readonly conversationId: string | undefined;
}

/** What {@link ToolCalls} needs. */
export interface ToolCallsParts {
  readonly sdk: ServerSdk;
  readonly engine: Engine;
  readonly list: ToolList;
  readonly clock: Clock;
  readonly view: ViewOutput;
  /** Where approvals are kept that a client's person gives; without it no approval is asked for through the client. */
  readonly approvals: ApprovalStore | undefined;
  readonly principal: string | undefined;
  /** Takes secrets out of what a call gave. */
  readonly redact: (result: ToolSuccess) => Promise<ToolSuccess>;
  /** Told when a call is over: it may have changed the tools. */
  readonly onCalled: () => void;
}

/** Makes the calls of clients, through the engine like any other. */
export class ToolCalls {
  readonly #parts: ToolCallsParts;

  constructor(parts: ToolCallsParts) {
    this.#parts = parts;
  }

  /** The call as work that may ask the client. Throws where the client names no tool that it was listed. */
  prepare(
    wireName: string,
    args: unknown,
    { client, conversationId }: CallFrom,
  ): (link: ClientLink, signal: AbortSignal) => Promise<CallToolResult> {
    const { list, sdk } = this.#parts;
    const tool = list.find(wireName);
    if (tool === undefined) throw this.#unknown(wireName);
    const given = tool.argumentsOf(args ?? {});
    return (link, signal) =>
      this.#call(tool, given, {
        client: new ServedClient(link, sdk),
        signal,
        name: clientName(client),
        conversationId,
      });
  }

  async #call(tool: ListedTool, args: unknown, making: Making): Promise<CallToolResult> {
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
      redactResult: (given) => this.#parts.redact(withWireNames(given, list)),
      outputSchema: tool.wire.outputSchema,
      clientApproves: approvals !== undefined,
    });
  }

  #context({ client, signal, name, conversationId }: Making, progress: CallProgress | undefined): CallContext {
    const { approvals, clock, principal } = this.#parts;
    const asks = client.canElicit;
    const approver = asks && approvals ? elicitingApprover({ client, approvals, clock, by: name }) : undefined;
    return {
      callerType: "mcp_client",
      callerId: name,
      signal,
      ...(conversationId !== undefined && { conversationId }),
      ...(principal !== undefined && { principal }),
      ...(progress !== undefined && { onProgress: (value: unknown) => progress.report(value) }),
      ...(asks && { elicit: this.#elicit(client) }),
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

  #progress({ client: { link } }: Making, redact: (text: string) => string): CallProgress | undefined {
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

interface Making {
  readonly client: ServedClient;
  readonly signal: AbortSignal;
  readonly name: string;
  readonly conversationId: string | undefined;
}

/** For records: a name that a stranger chose. */
function clientName(name: string | undefined): string {
  const plain = (name ?? "").replaceAll(/[^\w .@-]+/g, "_").slice(0, 64);
  return plain === "" ? "mcp" : `mcp:${plain}`;
}
