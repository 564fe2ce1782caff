import { fail } from "../../base/index.ts";
import { type Attachment, type ToolResult, bytesOfBase64 } from "../../tool/index.ts";
import type { Invocation } from "../program/invocation.ts";
import { toFailure } from "./from-wire.ts";
import { type ServerApi, failureOf } from "./server-api.ts";

type Wire = Readonly<Record<string, unknown>>;

/** A call of a tool of a server. */
export interface RemoteCall {
  readonly name: string;
  readonly input: { readonly args: Readonly<Record<string, unknown>> };
  readonly invocation: Pick<Invocation, "number" | "text">;
  /** Aborted by Ctrl-C: the server cancels the call. */
  readonly signal: AbortSignal;
}

/** Calls a tool of a server. Throws if the server did not make the call at all. */
export async function sendCall(
  api: ServerApi,
  { name, input: { args }, invocation, signal }: RemoteCall,
): Promise<ToolResult> {
  const [seconds, retries] = [invocation.number("timeout"), invocation.number("retries")];
  const conversation = invocation.text("conversation");
  const body = {
    args,
    strict: true,
    ...(seconds !== undefined && { timeout_ms: Math.ceil(seconds * 1000) }),
    ...(retries !== undefined && { max_retries: retries }),
    ...(conversation !== undefined && { conversation_id: conversation }),
  };
  const sent = api.attempt("call_tool", { params: { name }, body, signal });
  const { body: result, problem } = await sent.catch((error: unknown) => {
    if (signal.aborted) throw fail(`the call of ${name} was cancelled`, { code: "cancelled", cause: error });
    throw error;
  });
  if (problem === undefined) return toToolResult(result);
  if (problem.call === undefined) throw api.errorOf(problem);
  const { thrown_at: thrownAt, ...facts } = problem.call;
  const error = { ...failureOf(problem), ...(thrownAt !== undefined && { thrownAt }) };
  return toToolResult({ ...facts, success: false, error });
}

/** The result of a call from its JSON form. */
export function toToolResult(wire: Wire): ToolResult {
  const { success, tool, output, error, attachments, duration_ms: durationMs, queued_ms: queuedMs } = wire;
  const { call_id: callId, ...facts } = wire["meta"] as Wire;
  const result = {
    success,
    tool,
    ...(success === true ? { output } : { error: toFailure(error) }),
    ...(Array.isArray(attachments) && { attachments: (attachments as readonly Wire[]).map(toAttachment) }),
    durationMs,
    ...(queuedMs !== undefined && { queuedMs }),
    executedAt: Date.parse(String(wire["executed_at"])),
    meta: { ...facts, callId },
  };
  // The server wrote the result of a call.
  return result as unknown as ToolResult;
}

function toAttachment({ kind, mime_type: mimeType, name, data }: Wire): Attachment {
  const named = name !== undefined && { name };
  return { kind, mimeType, ...named, data: bytesOfBase64(String(data)) } as Attachment;
}
