import type { ElicitResult } from "@modelcontextprotocol/client";
import type { JsonSchema } from "../../../schema/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import type { Question } from "../../../tool/index.ts";
import type { McpCallOptions } from "../../../hub/index.ts";

/** A person reads it. */
const mostCharacters = 4_000;

/** Relays a server's question to whoever made the call; declines where nobody can be asked. */
export async function answerQuestion(params: unknown, call: McpCallOptions | undefined): Promise<ElicitResult> {
  const question = readQuestion(params);
  if (question === undefined || call?.elicit === undefined) return { action: "decline" };
  if (call.signal.aborted) return { action: "cancel" };
  const answer = (await orAborted(call.elicit(question), call.signal)) ?? { action: "cancel" };
  if (answer.action !== "accept") return { action: answer.action };
  return { action: "accept", content: withDefaults(question.schema, answer.content) };
}

/** A page to visit is no question: nobody here opens pages for servers. */
function readQuestion(params: unknown): Question | undefined {
  const { mode = "form", message, requestedSchema } = isObject(params) ? params : {};
  if (mode !== "form" || typeof message !== "string" || !isObject(requestedSchema)) return undefined;
  return { message: stripUnsafe(message).slice(0, mostCharacters), schema: requestedSchema };
}

/** Fields that were left out have the values that the question gives them. */
function withDefaults(
  schema: JsonSchema,
  content: Readonly<Record<string, unknown>>,
): NonNullable<ElicitResult["content"]> {
  const filled: Record<string, unknown> = { ...content };
  const properties: unknown = isObject(schema) ? schema["properties"] : undefined;
  for (const [name, property] of isObject(properties) ? Object.entries(properties) : []) {
    const known = filled[name] !== undefined || !isObject(property) || !Object.hasOwn(property, "default");
    if (!known) filled[name] = property["default"];
  }
  // Checked by whoever asked for them.
  return filled as NonNullable<ElicitResult["content"]>;
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const give = (): void => aborted.resolve(undefined);
  signal.addEventListener("abort", give, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", give);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
