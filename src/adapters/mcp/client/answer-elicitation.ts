import type { ElicitResult } from "@modelcontextprotocol/client";
import { raceAbortOrUndefined } from "../../../base/index.ts";
import { type JsonSchema, isRecord, setOwn } from "../../../schema/index.ts";
import type { ElicitRequest } from "../../../tool/index.ts";
import type { McpCallOptions } from "../../../hub/index.ts";
import { cutText, stripUnsafe } from "../../../text/index.ts";

/** An elicitation of a server, and the call that it belongs to. */
interface ElicitationRequest {
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

/** Limits of the text that a user reads before answering; longer text is truncated. */
const [maxCharacters, maxLabelChars, maxFields, maxChoices, maxNameChars] = [4_000, 500, 50, 200, 200];

const formats: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/**
 * Returns the elicitation of a server, labeled as such, or what is wrong with it. A user only sees the known parts of
 * a form: texts without invisible characters, of readable length. Names of fields and choices go back to the server
 * unchanged, so they are accepted as they are or not at all.
 */
export function readElicitation(params: unknown, server: string): ElicitRequest | string {
  const { mode = "form", message, requestedSchema } = isRecord(params) ? params : {};
  if (mode !== "form") return "it requests that a page be opened";
  if (typeof message !== "string" || !isRecord(requestedSchema)) return "it is not an elicitation";
  const schema = readForm(requestedSchema);
  if (typeof schema === "string") return schema;
  const { text, cut } = cutText(stripUnsafe(message), maxCharacters);
  const shown = cut ? `${text}\n(truncated: the message is too long)` : text;
  return { message: `The MCP server "${server}" requests input:\n\n${shown}`, schema };
}

function readForm({ properties, required }: Readonly<Record<string, unknown>>): JsonSchema | string {
  const entries = Object.entries(isRecord(properties) ? properties : {});
  if (entries.length > maxFields) return `it has ${entries.length} fields, and at most ${maxFields} are allowed`;
  const fields: Record<string, unknown> = {};
  for (const [name, property] of entries) {
    const field = isPlain(name) && isRecord(property) ? readField(property) : undefined;
    if (field === undefined)
      return `its field ${JSON.stringify(oneLineText(name))} is not a string, number, choice or boolean`;
    setOwn(fields, name, field);
  }
  const needed = (Array.isArray(required) ? required : []).filter(
    (name) => typeof name === "string" && Object.hasOwn(fields, name),
  );
  return { type: "object", properties: fields, ...(needed.length > 0 && { required: [...new Set(needed)] }) };
}

type Field = Readonly<Record<string, unknown>>;

function readField(field: Field): JsonSchema | undefined {
  const kind = readKind(field);
  return kind && { ...labelsOf(field), ...kind };
}

function readKind(field: Field): JsonSchema | undefined {
  const { type, default: defaults } = field;
  switch (type) {
    case "boolean":
      return { type, ...(typeof defaults === "boolean" && { default: defaults }) };
    case "number":
    case "integer":
      return { type, ...numbersOf(field, ["minimum", "maximum", "default"]) };
    case "string":
      return "enum" in field || "oneOf" in field ? readChoice(field) : readText(field);
    case "array":
      return isRecord(field["items"]) ? readChoices(field, field["items"]) : undefined;
    default:
      return undefined;
  }
}

function readText(field: Field): JsonSchema {
  const { format, default: defaults } = field;
  return {
    type: "string",
    ...numbersOf(field, ["minLength", "maxLength"]),
    ...(formats.has(format) && { format }),
    ...(isPlain(defaults) && { default: defaults }),
  };
}

/** One of several strings, titled or not, in any form that the protocol has had. */
function readChoice({ enum: values, enumNames, oneOf, default: defaults }: Field): JsonSchema | undefined {
  const choices = Array.isArray(oneOf) ? titled(oneOf) : plain(values);
  if (choices === undefined) return undefined;
  const names = Array.isArray(enumNames) && choices.enum !== undefined ? enumNames.map(String).map(oneLineText) : [];
  return {
    type: "string",
    ...(choices.titled === undefined ? { enum: choices.enum } : { oneOf: choices.titled }),
    ...(names.length > 0 && names.length === choices.enum?.length && { enumNames: names }),
    ...(isPlain(defaults) && { default: defaults }),
  };
}

/** Any of several strings. */
function readChoices(field: Field, { enum: values, anyOf }: Field): JsonSchema | undefined {
  const choices = Array.isArray(anyOf) ? titled(anyOf) : plain(values);
  if (choices === undefined) return undefined;
  const { default: defaults } = field;
  return {
    type: "array",
    items: choices.titled === undefined ? { type: "string", enum: choices.enum } : { anyOf: choices.titled },
    ...numbersOf(field, ["minItems", "maxItems"]),
    ...(Array.isArray(defaults) && defaults.every(isPlain) && { default: defaults }),
  };
}

interface Choices {
  readonly enum?: readonly string[];
  readonly titled?: readonly { readonly const: string; readonly title: string }[];
}

function plain(values: unknown): Choices | undefined {
  const fits = Array.isArray(values) && values.length <= maxChoices && values.every(isPlain);
  return fits ? { enum: values } : undefined;
}

function titled(options: readonly unknown[]): Choices | undefined {
  const read = options.map((option) => {
    const { const: value, title } = isRecord(option) ? option : {};
    return isPlain(value) ? { const: value, title: typeof title === "string" ? oneLineText(title) : value } : undefined;
  });
  return read.length <= maxChoices && read.every((option) => option !== undefined) ? { titled: read } : undefined;
}

function labelsOf({ title, description }: Field): JsonSchema {
  return {
    ...(typeof title === "string" && { title: oneLineText(title) }),
    ...(typeof description === "string" && { description: oneLineText(description) }),
  };
}

function numbersOf(field: Field, keys: readonly string[]): JsonSchema {
  return Object.fromEntries(keys.flatMap((key) => (typeof field[key] === "number" ? [[key, field[key]]] : [])));
}

/** In one line. */
function oneLineText(text: string): string {
  return cutText(stripUnsafe(text).replaceAll(/\s+/g, " "), maxLabelChars, { at: "character" }).text;
}

/** True if all characters of the text are visible. */
function isPlain(text: unknown): text is string {
  return (
    typeof text === "string" &&
    text !== "" &&
    text.length <= maxNameChars &&
    !/\n/.test(text) &&
    stripUnsafe(text) === text
  );
}
