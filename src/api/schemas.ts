import type { JsonInput, JsonOutput } from "../schema/index.ts";
import { agentSchemas } from "./areas/agents.ts";
import { approvalSchemas } from "./areas/approvals.ts";
import { auditSchemas } from "./areas/audit.ts";
import { callSchemas } from "./areas/calls.ts";
import { chainSchemas } from "./areas/chains.ts";
import { eventSchemas } from "./areas/events.ts";
import { externalEventSchemas } from "./areas/external-events.ts";
import { operationSchemas } from "./areas/operations.ts";
import { problemSchemas } from "./areas/problem-schemas.ts";
import { recordSchemas } from "./areas/records.ts";
import { runViewSchemas } from "./areas/run-views.ts";
import { runSchemas } from "./areas/runs.ts";
import { serviceSchemas } from "./areas/service.ts";
import { tokenSchemas } from "./areas/tokens.ts";
import { toolSchemas } from "./areas/tools.ts";
import { triggerSchemas } from "./areas/triggers.ts";

/**
 * The values of the HTTP API as JSON Schema, by their names: the source of the types below, of the validation of requests,
 * and of the OpenAPI document. Times are ISO 8601, in UTC.
 */
export const schemas: Schemas = {
  ...agentSchemas,
  ...approvalSchemas,
  ...auditSchemas,
  ...callSchemas,
  ...chainSchemas,
  ...eventSchemas,
  ...externalEventSchemas,
  ...operationSchemas,
  ...problemSchemas,
  ...recordSchemas,
  ...runSchemas,
  ...runViewSchemas,
  ...serviceSchemas,
  ...tokenSchemas,
  ...toolSchemas,
  ...triggerSchemas,
};

type Schemas = typeof agentSchemas &
  typeof approvalSchemas &
  typeof auditSchemas &
  typeof callSchemas &
  typeof chainSchemas &
  typeof eventSchemas &
  typeof externalEventSchemas &
  typeof operationSchemas &
  typeof problemSchemas &
  typeof recordSchemas &
  typeof runSchemas &
  typeof runViewSchemas &
  typeof serviceSchemas &
  typeof tokenSchemas &
  typeof toolSchemas &
  typeof triggerSchemas;

/** The names of {@link schemas}. */
export type SchemaName = keyof Schemas;

/** A value of the API, as clients receive it. */
export type WireValue<Name extends SchemaName> = JsonOutput<Schemas[Name], Schemas>;

/** A value of the API, as clients send it: what has a default may be absent. */
export type WireInput<Name extends SchemaName> = JsonInput<Schemas[Name], Schemas>;

const prefix = "#/components/schemas/";

/** A schema of the API that stands alone, with the schemas that it refers to. */
export function standaloneSchema(name: SchemaName): Readonly<Record<string, unknown>> {
  const defined = JSON.stringify({ ...schemas[name], $defs: schemas }).replaceAll(prefix, "#/$defs/");
  return JSON.parse(defined) as Readonly<Record<string, unknown>>;
}
