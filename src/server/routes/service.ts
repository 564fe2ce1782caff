import { relative } from "node:path";
import { type Route, routes, schemas } from "../../api/index.ts";
import { type StoreOpener, type Workspace, examineWorkspace, workspaceSchema } from "../../app/index.ts";
import { cliCommand, fail } from "../../base/index.ts";
import { chainFileSchema } from "../../chain/index.ts";
import { contractFileSchema } from "../../hub/index.ts";
import { type WireNames, toolFileSchema } from "../../tool/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, refusal } from "../request/handler.ts";
import type { ServerMetrics } from "../server-metrics.ts";

/** Dependencies of {@link serviceRoutes}. */
interface ServiceRouteDeps {
  readonly isReady: () => boolean;
  readonly metrics: Pick<ServerMetrics, "text">;
}

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

/** The database is open: it is examined as it is. */
async function lendStore(store: Workspace["store"], file: string): ReturnType<StoreOpener> {
  if (store === undefined) throw fail(`${file} is not used by this server`, { code: "not_available" });
  return { store, close: async () => {} };
}

const fileSchemas = {
  chain: () => chainFileSchema,
  tool: () => toolFileSchema,
  capability: () => contractFileSchema,
  workspace: workspaceSchema,
} as const;

/** Liveness, readiness, figures, and the schemas of files. */
export function serviceRoutes({
  isReady,
  metrics,
}: ServiceRouteDeps): Handlers<"healthz" | "readyz" | "prometheus" | "get_schema" | "get_doctor"> {
  return {
    prometheus: async () => ({
      reply: true,
      mediaType: "text/plain; version=0.0.4; charset=utf-8",
      body: await metrics.text(),
    }),
    get_doctor: async ({ workspace }) => {
      const { store, engine } = workspace;
      const findings = await examineWorkspace(workspace, {
        network: false,
        shorten: (path) => relative(workspace.dir, path) || ".",
        reviewCommand: cliCommand("trust"),
        openStore: (file) => lendStore(store, file),
      });
      const ok = findings.every(({ status }) => status !== "fail");
      return asWire<"DoctorReport">({ ok, findings: findings.map((each) => engine.redactor.value({ ...each })) });
    },
    get_schema: ({ params: { name } }) => {
      if (Object.hasOwn(fileSchemas, name)) return fileSchemas[name as keyof typeof fileSchemas]();
      const names = Object.keys(fileSchemas).join(", ");
      throw refusal("not_found", `there is no schema ${JSON.stringify(name)}; the schemas are ${names}`);
    },
    healthz: () => ({ status: "ok" }),
    readyz: () => (isReady() ? { status: "ok" } : { reply: true, status: 503, body: { status: "draining" } }),
  };
}
