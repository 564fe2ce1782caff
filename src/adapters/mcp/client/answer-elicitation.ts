import type { ElicitResult } from "@modelcontextprotocol/client";
import { raceAbortOrUndefined } from "../../../base/index.ts";
import { type JsonSchema, isRecord } from "../../../schema/index.ts";
import type { ElicitRequest } from "../../../tool/index.ts";
import type { McpCallOptions } from "../../../hub/index.ts";
import { readElicitation } from "./read-elicitation.ts";

/** An elicitation of a server, and the call that it belongs to. */
export interface ElicitationRequest {
  readonly server: string;
  readonly params: unknown;
  /** The call that it belongs to, if known. */
  readonly call: McpCallOptions | undefined;
  /** Called for an elicitation that no user sees. */
  readonly log: (message: string) => void;
}

/** Relays a server's elicitation to the caller; declines if no user can be prompted, and logs that. */
export async function answerElicitation({ server, params, call, log }: ElicitationRequest): Promise<ElicitResult> {
  const elicitation = readElicitation(params, server);
  const why = declineReason(elicitation, call);
  if (typeof elicitation === "string" || call?.elicit === undefined) {
    log(`sent an elicitation that was declined, since ${why}${quoted(params)}`);
    return { action: "decline" };
  }
  if (call.signal.aborted) return { action: "cancel" };
  const answer = (await raceAbortOrUndefined(call.elicit(elicitation), call.signal)) ?? { action: "cancel" };
  if (answer.action !== "accept") return { action: answer.action };
  return { action: "accept", content: withDefaults(elicitation.schema, answer.content) };
}

function declineReason(elicitation: ElicitRequest | string, call: McpCallOptions | undefined): string {
  if (typeof elicitation === "string") return elicitation;
  return call === undefined ? "it is not known which of several calls it is for" : "no user can be prompted here";
}

/** Sanitized and truncated for the log. */
function quoted(params: unknown): string {
  const message = isRecord(params) ? params["message"] : undefined;
  return typeof message === "string" ? `: ${JSON.stringify(message.slice(0, 300))}` : "";
}

/** Fills omitted fields with the defaults of the elicitation. */
function withDefaults(
  { properties }: JsonSchema & { readonly properties?: unknown },
  content: Readonly<Record<string, unknown>>,
): NonNullable<ElicitResult["content"]> {
  const filled: Record<string, unknown> = { ...content };
  for (const [name, property] of isRecord(properties) ? Object.entries(properties) : []) {
    const known = filled[name] !== undefined || !isRecord(property) || !Object.hasOwn(property, "default");
    if (!known) filled[name] = property["default"];
  }
  // Validated by the server that requested them.
  return filled as NonNullable<ElicitResult["content"]>;
}
