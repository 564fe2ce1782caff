import type { JsonOutput } from "../schema/index.ts";
import { agentRoutes } from "./areas/agents.ts";
import { approvalRoutes } from "./areas/approvals.ts";
import { auditRoutes } from "./areas/audit.ts";
import { callRoutes } from "./areas/calls.ts";
import { chainRoutes } from "./areas/chains.ts";
import { eventRoutes } from "./areas/events.ts";
import { externalEventRoutes } from "./areas/external-events.ts";
import { operationRoutes } from "./areas/operations.ts";
import { recordRoutes } from "./areas/records.ts";
import { runRoutes } from "./areas/runs.ts";
import { serviceRoutes } from "./areas/service.ts";
import { tokenRoutes } from "./areas/tokens.ts";
import { toolRoutes } from "./areas/tools.ts";
import { triggerRoutes } from "./areas/triggers.ts";
import type { SchemaName, WireInput, WireValue } from "./schemas.ts";

/** The version of the API, which every response names in the header `Windlass-Api`. */
export const apiVersion = "1";

/** Rights of a token. `edit` saves chains, so it equals running any tool; `admin` includes all others. */
export const scopes = ["read", "call", "run", "approve", "edit", "admin"] as const;

/** One scope of a token. */
export type Scope = (typeof scopes)[number];

/** Access to a route: for anyone, the holder of a one-time code, a sender with a signature, or a token with this scope. */
export type RouteAccess = "none" | "code" | "signature" | Scope;

/** One route of the HTTP API. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Parameters in braces, as in OpenAPI. */
  readonly path: string;
  readonly access: RouteAccess;
  readonly summary: string;
  /** JSON Schemas of query parameters, all optional. */
  readonly query?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The name of the schema of the body. */
  readonly body?: SchemaName;
  /** The body is a file of any type. */
  readonly upload?: true;
  /** The body may be absent. */
  readonly optionalBody?: true;
  /** The body is taken as it is, of any media type, and so is the query. */
  readonly bytes?: true;
  /** The name of the schema of the response; or its media type if it is not JSON. */
  readonly response: SchemaName | `${string}/${string}`;
  /** The status of a success. Default: 200. */
  readonly status?: number;
  /** Starts work: takes an `Idempotency-Key`. */
  readonly startsWork?: true;
  /** The work is that of the run in the path, not new. */
  readonly resumes?: true;
  /** The name of the schema of the response with the status 202, if it differs: the work has not ended yet. */
  readonly accepted?: SchemaName;
}

/**
 * Every route of the HTTP API. Routing, access, validation, the OpenAPI document, the typed client and the contract test
 * follow from this table.
 */
export const routes: Routes = {
  ...agentRoutes,
  ...approvalRoutes,
  ...auditRoutes,
  ...callRoutes,
  ...chainRoutes,
  ...eventRoutes,
  ...externalEventRoutes,
  ...operationRoutes,
  ...recordRoutes,
  ...runRoutes,
  ...serviceRoutes,
  ...tokenRoutes,
  ...toolRoutes,
  ...triggerRoutes,
};

type Routes = typeof agentRoutes &
  typeof approvalRoutes &
  typeof auditRoutes &
  typeof callRoutes &
  typeof chainRoutes &
  typeof eventRoutes &
  typeof externalEventRoutes &
  typeof operationRoutes &
  typeof recordRoutes &
  typeof runRoutes &
  typeof serviceRoutes &
  typeof tokenRoutes &
  typeof toolRoutes &
  typeof triggerRoutes;

routes satisfies Readonly<Record<string, Route>>;

/** The name of a route. */
export type RouteName = keyof Routes;

type RouteOf<Name extends RouteName> = Routes[Name];

/** The names of the parameters in a path. */
type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/** The parameters in the path of a route. */
export type PathParams<Name extends RouteName> = Readonly<Record<PathNames<RouteOf<Name>["path"]>, string>>;

/** The query parameters of a route. */
export type QueryParams<Name extends RouteName> =
  RouteOf<Name> extends { readonly query: infer Q } ? { readonly [K in keyof Q]?: JsonOutput<Q[K]> } : object;

/** The body that a client sends to a route. */
export type RequestBody<Name extends RouteName> =
  RouteOf<Name> extends { readonly body: infer B extends SchemaName } ? WireInput<B> : undefined;

/** The body of a successful response of a route; text if it is not one of the schemas. */
export type ResponseBody<Name extends RouteName> =
  RouteOf<Name> extends { readonly response: infer R }
    ? R extends SchemaName
      ? WireValue<R>
      : R extends "application/json"
        ? unknown
        : string
    : never;
