import { type RouteName, type Route, type SchemaName, routes, standaloneSchema } from "../../api/index.ts";
import { type Issue, inputLimits } from "../../base/index.ts";
import { type SyncSchema, fromJsonSchema, parseArguments } from "../../schema/index.ts";
import { refusal } from "./handler.ts";

const bodies = new Map<SchemaName, SyncSchema>();

function bodySchema(name: SchemaName): SyncSchema {
  let schema = bodies.get(name);
  if (schema === undefined) bodies.set(name, (schema = fromJsonSchema(standaloneSchema(name))));
  return schema;
}

/** The checked body of a request. Throws a problem if it is missing or not what the route takes. */
export function parseBody(route: Route, text: string | undefined): unknown {
  if (route.body === undefined) return undefined;
  if (text === undefined || text.trim() === "") {
    if (route.optionalBody === true) return {};
    throw refusal("bad_request", "this route needs a JSON body");
  }
  const checked = bodySchema(route.body).validate(parseObject(text));
  if (checked.issues !== undefined) throw invalid("body", checked.issues);
  return checked.value;
}

/** Parses a body within the limits of arguments: deep or wide JSON is refused before it costs anything. */
function parseObject(text: string): Readonly<Record<string, unknown>> {
  const parsed = parseArguments(text);
  if (parsed.issues === undefined) return parsed.value;
  const [issue] = parsed.issues;
  const code = issue?.code === "args_too_large" ? "too_large" : "bad_request";
  throw refusal(code, refusals[issue?.code ?? ""] ?? `the body is not valid: ${issue?.message ?? ""}`);
}

/** Why a body is refused, by the code of {@link parseArguments}. */
const refusals: Readonly<Record<string, string>> = {
  args_too_large: `the body is too large; send at most ${inputLimits.argumentBytes} bytes and ${inputLimits.argumentKeys} values`,
  args_too_deep: `the body nests more than ${inputLimits.argumentDepth} levels deep; flatten it`,
  args_not_json: "the body is not JSON; send one JSON object, its keys and texts in double quotes",
  args_not_object: 'the body must be one JSON object such as {"args": {}}',
};

const queries = new Map<RouteName, SyncSchema>();

function querySchema(name: RouteName, properties: NonNullable<Route["query"]>): SyncSchema {
  let schema = queries.get(name);
  if (schema === undefined) {
    schema = fromJsonSchema({ type: "object", properties, additionalProperties: false });
    queries.set(name, schema);
  }
  return schema;
}

/** The checked query parameters of a request. */
export function parseQuery(name: RouteName, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const { query: properties = {} }: Route = routes[name];
  if (query.size === 0) return {};
  const values: Record<string, unknown> = {};
  for (const [key, text] of query) {
    if (Object.hasOwn(values, key)) throw refusal("bad_request", `the query has ${JSON.stringify(key)} twice`);
    const declared = properties[key];
    const isNumber = declared?.["type"] === "integer" || declared?.["type"] === "number";
    Object.defineProperty(values, key, { value: isNumber ? Number(text) : text, enumerable: true });
  }
  const checked = querySchema(name, properties).validate(values);
  if (checked.issues !== undefined) throw invalid("query", checked.issues);
  return values;
}

function invalid(part: string, issues: readonly Issue[]): Error {
  const detail = issues
    .slice(0, 3)
    .map(({ message }) => message)
    .join("; ");
  return refusal("bad_request", `the ${part} is not valid: ${detail}`, { issues });
}
