import { type JsonSchema, isRecord, put } from "../../../schema/index.ts";
import { cutText, stripUnsafe } from "../../../text/index.ts";
import type { Question } from "../../../tool/index.ts";

/** What a person reads before they answer; more of it is cut. */
const [mostCharacters, mostOfLabel, mostFields, mostChoices, mostOfName] = [4_000, 500, 50, 200, 200];

const formats: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/**
 * The question of a server, said to be one, or what is wrong with it. Nothing goes to a person but the parts of a form
 * that are known here: texts without what is not seen, of a length that can be read. What has to go back to the server
 * as it came, the names of fields and choices, is taken as it is or not at all.
 */
export function readQuestion(params: unknown, server: string): Question | string {
  const { mode = "form", message, requestedSchema } = isRecord(params) ? params : {};
  if (mode !== "form") return "it wants a page to be opened";
  if (typeof message !== "string" || !isRecord(requestedSchema)) return "it is no question";
  const schema = readForm(requestedSchema);
  if (typeof schema === "string") return schema;
  const { text, cut } = cutText(stripUnsafe(message), mostCharacters);
  const asked = cut ? `${text}\n(there is more, which is too long to be read)` : text;
  return { message: `The MCP server "${server}" asks:\n\n${asked}`, schema };
}

function readForm({ properties, required }: Readonly<Record<string, unknown>>): JsonSchema | string {
  const entries = Object.entries(isRecord(properties) ? properties : {});
  if (entries.length > mostFields) return `it has ${entries.length} fields, and at most ${mostFields} are asked for`;
  const fields: Record<string, unknown> = {};
  for (const [name, property] of entries) {
    const field = isPlain(name) && isRecord(property) ? readField(property) : undefined;
    if (field === undefined) return `its field ${JSON.stringify(shown(name))} is no text, number, choice, or yes or no`;
    put(fields, name, field);
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
  const { type, default: usual } = field;
  switch (type) {
    case "boolean":
      return { type, ...(typeof usual === "boolean" && { default: usual }) };
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
  const { format, default: usual } = field;
  return {
    type: "string",
    ...numbersOf(field, ["minLength", "maxLength"]),
    ...(formats.has(format) && { format }),
    ...(isPlain(usual) && { default: usual }),
  };
}

/** One of several texts, named or not, in any of the forms that the protocol had over time. */
function readChoice({ enum: values, enumNames, oneOf, default: usual }: Field): JsonSchema | undefined {
  const choices = Array.isArray(oneOf) ? titled(oneOf) : plain(values);
  if (choices === undefined) return undefined;
  const names = Array.isArray(enumNames) && choices.enum !== undefined ? enumNames.map(String).map(shown) : [];
  return {
    type: "string",
    ...(choices.titled === undefined ? { enum: choices.enum } : { oneOf: choices.titled }),
    ...(names.length > 0 && names.length === choices.enum?.length && { enumNames: names }),
    ...(isPlain(usual) && { default: usual }),
  };
}

/** Any of several texts. */
function readChoices(field: Field, { enum: values, anyOf }: Field): JsonSchema | undefined {
  const choices = Array.isArray(anyOf) ? titled(anyOf) : plain(values);
  if (choices === undefined) return undefined;
  const { default: usual } = field;
  return {
    type: "array",
    items: choices.titled === undefined ? { type: "string", enum: choices.enum } : { anyOf: choices.titled },
    ...numbersOf(field, ["minItems", "maxItems"]),
    ...(Array.isArray(usual) && usual.every(isPlain) && { default: usual }),
  };
}

interface Choices {
  readonly enum?: readonly string[];
  readonly titled?: readonly { readonly const: string; readonly title: string }[];
}

function plain(values: unknown): Choices | undefined {
  const fits = Array.isArray(values) && values.length <= mostChoices && values.every(isPlain);
  return fits ? { enum: values } : undefined;
}

function titled(options: readonly unknown[]): Choices | undefined {
  const read = options.map((option) => {
    const { const: value, title } = isRecord(option) ? option : {};
    return isPlain(value) ? { const: value, title: typeof title === "string" ? shown(title) : value } : undefined;
  });
  return read.length <= mostChoices && read.every((option) => option !== undefined) ? { titled: read } : undefined;
}

function labelsOf({ title, description }: Field): JsonSchema {
  return {
    ...(typeof title === "string" && { title: shown(title) }),
    ...(typeof description === "string" && { description: shown(description) }),
  };
}

function numbersOf(field: Field, keys: readonly string[]): JsonSchema {
  return Object.fromEntries(keys.flatMap((key) => (typeof field[key] === "number" ? [[key, field[key]]] : [])));
}

/** In one line. */
function shown(text: string): string {
  return cutText(stripUnsafe(text).replaceAll(/\s+/g, " "), mostOfLabel, { at: "character" }).text;
}

/** A text that is all that it seems to be. */
function isPlain(text: unknown): text is string {
  return (
    typeof text === "string" &&
    text !== "" &&
    text.length <= mostOfName &&
    !/\n/.test(text) &&
    stripUnsafe(text) === text
  );
}
