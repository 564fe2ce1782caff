import type { ElicitResult } from "@modelcontextprotocol/client";
import { unlessAborted } from "../../../base/index.ts";
import { type JsonSchema, isRecord } from "../../../schema/index.ts";
import type { Question } from "../../../tool/index.ts";
import type { McpCallOptions } from "../../../hub/index.ts";
import { readQuestion } from "./read-question.ts";

/** A question of a server, and whom it is for. */
export interface Asked {
  readonly server: string;
  readonly params: unknown;
  /** The call that it belongs to, where that is known. */
  readonly call: McpCallOptions | undefined;
  /** Told of a question that nobody gets to see. */
  readonly tell: (message: string) => void;
}

/** Relays a server's question to whoever made the call; declines where nobody can be asked, and says so. */
export async function answerQuestion({ server, params, call, tell }: Asked): Promise<ElicitResult> {
  const question = readQuestion(params, server);
  const why = unaskable(question, call);
  if (typeof question === "string" || call?.elicit === undefined) {
    tell(`asked a question that was declined, since ${why}${quoted(params)}`);
    return { action: "decline" };
  }
  if (call.signal.aborted) return { action: "cancel" };
  const answer = (await unlessAborted(call.elicit(question), call.signal)) ?? { action: "cancel" };
  if (answer.action !== "accept") return { action: answer.action };
  return { action: "accept", content: withDefaults(question.schema, answer.content) };
}

function unaskable(question: Question | string, call: McpCallOptions | undefined): string {
  if (typeof question === "string") return question;
  return call === undefined ? "it is not known which of several calls it is for" : "nobody can be asked here";
}

/** Cleaned and cut where it is told. */
function quoted(params: unknown): string {
  const message = isRecord(params) ? params["message"] : undefined;
  return typeof message === "string" ? `: ${JSON.stringify(message.slice(0, 300))}` : "";
}

/** Fields that were left out have the values that the question gives them. */
function withDefaults(
  { properties }: JsonSchema & { readonly properties?: unknown },
  content: Readonly<Record<string, unknown>>,
): NonNullable<ElicitResult["content"]> {
  const filled: Record<string, unknown> = { ...content };
  for (const [name, property] of isRecord(properties) ? Object.entries(properties) : []) {
    const known = filled[name] !== undefined || !isRecord(property) || !Object.hasOwn(property, "default");
    if (!known) filled[name] = property["default"];
  }
  // Checked by whoever asked for them.
  return filled as NonNullable<ElicitResult["content"]>;
}
