import { type Route, routes, schemas } from "../../api/index.ts";
import type { Workspace } from "../../app/index.ts";
import type { WireNames } from "../../tool/index.ts";
import type { Handlers } from "../request/handler.ts";

/** The API as an OpenAPI 3.1 document; `names` are the names of tools in paths. */
export function toOpenApi(workspace: Workspace, names: WireNames): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(routes) as [string, Route][]) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = toOperation(name, route);
  }
  for (const { tool, source } of workspace.engine.tools.list()) {
    if (tool.broken !== undefined) continue;
    const wire = names.toWire(tool.name);
    const body = {
      type: "object",
      properties: { ...schemas.CallRequest.properties, args: tool.input.json },
      additionalProperties: false,
    };
    const result = { allOf: [{ $ref: "#/components/schemas/CallResult" }, outputOf(tool.output?.json)] };
    paths[`/v1/tools/${wire}/call`] = {
      post: {
        operationId: `call_${wire}`,
        summary: tool.description,
        tags: [source],
        requestBody: { required: false, content: { "application/json": { schema: body } } },
        responses: {
          200: { description: "The result.", content: { "application/json": { schema: result } } },
          ...errors,
        },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Windlass", version: "1", description: "Tools, chains and agents of one workspace." },
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

function outputOf(schema: object | undefined): object {
  return schema === undefined ? {} : { type: "object", properties: { output: schema } };
}

const problem = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
const errors = { default: { description: "A problem.", content: problem } };

function toOperation(name: string, route: Route): Readonly<Record<string, unknown>> {
  const { path, summary, query = {}, body, response, status = 200, access } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([parameter, schema]) => ({ name: parameter, in: "query", schema }));
  const media = response.includes("/") ? response : "application/json";
  const schema = response.includes("/") ? {} : { $ref: `#/components/schemas/${response}` };
  return {
    operationId: name,
    summary,
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(body !== undefined && {
      requestBody: {
        required: route.optionalBody !== true,
        content: { "application/json": { schema: { $ref: `#/components/schemas/${body}` } } },
      },
    }),
    ...(route.upload === true && {
      requestBody: { required: true, content: { "*/*": { schema: { type: "string", format: "binary" } } } },
    }),
    responses: { [status]: { description: summary, content: { [media]: { schema } } }, ...errors },
    ...(["none", "code", "signature"].includes(access) && { security: [] }),
    "x-access": access,
  };
}

/** Liveness and readiness. */
export function healthRoutes(isReady: () => boolean): Handlers<"healthz" | "readyz"> {
  return {
    healthz: () => ({ status: "ok" }),
    readyz: () => (isReady() ? { status: "ok" } : { reply: true, status: 503, body: { status: "draining" } }),
  };
}
