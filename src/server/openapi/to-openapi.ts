import { type Route, routes } from "../../api/index.ts";
import type { Workspace } from "../../app/index.ts";
import { type JsonSchema, isRecord, listOf, recordOf } from "../../schema/index.ts";
import { hasErrors } from "../../text/index.ts";
import type { AnyTool, WireNames } from "../../tool/index.ts";
import { Components, reference } from "./components.ts";

type Json = Readonly<Record<string, unknown>>;

/** The API as an OpenAPI 3.1 document; `names` are the names of tools in paths. */
export function toOpenApi(workspace: Workspace, names: WireNames): Json {
  return new OpenApiDocument(workspace, names).build();
}

/** Collects the operations: those of the routes, and one for each tool and chain, with its own schemas. */
class OpenApiDocument {
  readonly #workspace: Workspace;
  readonly #names: WireNames;
  readonly #components = new Components();
  readonly #paths: Record<string, Record<string, unknown>> = {};

  constructor(workspace: Workspace, names: WireNames) {
    this.#workspace = workspace;
    this.#names = names;
  }

  build(): Json {
    for (const [name, route] of Object.entries(routes) as [string, Route][])
      this.#add(route.path, route.method, toOperation(name, route));
    for (const { tool, source } of this.#workspace.engine.tools.list()) {
      if (tool.broken === undefined) this.#addTool(tool, source);
    }
    for (const name of this.#workspace.chains.names()) this.#addChain(name);
    return {
      openapi: "3.1.0",
      info: { title: "Windlass", version: "1", description: "Tools, chains and agents of one workspace." },
      servers: [{ url: "/" }],
      security: [{ token: [] }],
      paths: this.#paths,
      components: {
        schemas: this.#components.schemas,
        securitySchemes: { token: { type: "http", scheme: "bearer" } },
      },
    };
  }

  #add(path: string, method: Route["method"], operation: Json): void {
    (this.#paths[path] ??= {})[method.toLowerCase()] = operation;
  }

  #addTool({ name, description, input, output }: AnyTool, source: string): void {
    const wire = this.#names.toWire(name);
    const result = output && { output: this.#components.add(`tool.${wire}.output`, output.json) };
    this.#addSpecific("call_tool", wire, {
      id: wire,
      about: { summary: `Call ${name}.`, description, tags: [source] },
      value: { args: this.#components.add(`tool.${wire}.input`, input.json) },
      result,
      isRequired: needsKeys(input.json),
    });
  }

  #addChain(name: string): void {
    const { chains } = this.#workspace;
    if (hasErrors(chains.problems(name))) return;
    const { input, description } = chains.plan(name);
    const id = this.#names.toWire(name);
    this.#addSpecific("start_run", name, {
      id,
      about: { summary: `Start a run of ${name}.`, description: description.trim(), tags: ["chains"] },
      value: { input: this.#components.add(`chain.${id}.input`, input.json) },
      isRequired: needsKeys(input.json),
    });
  }

  /** Adds the operation of a route for one tool or chain. Its id begins with that of the route, so no other one has it. */
  #addSpecific(name: "call_tool" | "start_run", called: string, specific: SpecificOperation): void {
    const { id, about, value, result, isRequired } = specific;
    const route: Route = routes[name];
    const general = toOperation(name, route);
    const { properties, ...body } = recordOf(this.#components.schemas[routes[name].body]);
    const required = isRequired && { required: Object.keys(value) };
    const response = result && { type: "object", properties: result, required: Object.keys(result) };
    const ofRoute = { $ref: reference(route.response) };
    this.#add(route.path.replace("{name}", encodeURIComponent(called)), route.method, {
      ...general,
      operationId: `${name}_${id}`,
      ...about,
      parameters: listOf(general["parameters"]).filter((each) => isRecord(each) && each["in"] !== "path"),
      requestBody: {
        required: isRequired,
        content: {
          "application/json": { schema: { ...body, properties: { ...recordOf(properties), ...value }, ...required } },
        },
      },
      responses: responsesOf(route, about.summary, response ? { allOf: [ofRoute, response] } : ofRoute),
    });
  }
}

/** The operation of a route for one tool or chain. */
interface SpecificOperation {
  /** Its name, in letters, digits, _ and -. */
  readonly id: string;
  readonly about: { readonly summary: string; readonly description: string; readonly tags: readonly string[] };
  /** The property of the body that is its own, with its schema. */
  readonly value: Json;
  /** The same of the response. */
  readonly result?: Json | undefined;
  readonly isRequired: boolean;
}

/** True if a value without keys does not fit; what only a branch of the schema requires, the server checks. */
function needsKeys({ required }: JsonSchema): boolean {
  return listOf(required).length > 0;
}

const problem = { "application/problem+json": { schema: { $ref: reference("Problem") } } };
const errors = { default: { description: "A problem.", content: problem } };

/** Headers of requests that start work. */
const workHeaders = [
  {
    name: "Idempotency-Key",
    in: "header",
    description: "The same request with the same key runs once, however often it is sent within 24 hours.",
    schema: { type: "string" },
  },
  {
    name: "Prefer",
    in: "header",
    description: "`wait=30` waits up to 30 s for the end of the work; `respond-async` does not wait.",
    schema: { type: "string" },
  },
];

function toOperation(name: string, route: Route): Json {
  const { path, summary, query = {}, body, response, access } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([parameter, schema]) => ({ name: parameter, in: "query", schema }));
  const parameters = [...inPath, ...inQuery, ...(route.startsWork === true ? workHeaders : [])];
  return {
    operationId: name,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: route.optionalBody !== true,
        content: { "application/json": { schema: { $ref: reference(body) } } },
      },
    }),
    ...(route.upload === true && {
      requestBody: { required: true, content: { "*/*": { schema: { type: "string", format: "binary" } } } },
    }),
    ...(route.bytes === true && { requestBody: { required: true, content: { "*/*": {} } } }),
    responses: responsesOf(route, summary, response.includes("/") ? {} : { $ref: reference(response) }),
    ...(["none", "code", "signature"].includes(access) && { security: [] }),
    "x-access": access,
  };
}

function responsesOf({ response, status = 200, accepted }: Route, description: string, schema: JsonSchema): Json {
  const content = { [response.includes("/") ? response : "application/json"]: { schema } };
  const isOpen = { description: "The work has not ended yet." };
  if (accepted !== undefined)
    return {
      [status]: { description, content },
      202: { ...isOpen, content: { "application/json": { schema: { $ref: reference(accepted) } } } },
      ...errors,
    };
  if (status !== 202) return { [status]: { description, content }, ...errors };
  return { 200: { description: "It has ended.", content }, 202: { ...isOpen, content }, ...errors };
}
