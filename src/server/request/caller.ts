import { type Route, type Scope, routes, scopes } from "../../api/index.ts";

/** The caller of a request: the token that it sent. */
export interface Caller {
  /** The name of the token; rules, records, limits and approvals see it. */
  readonly principal: string;
  /** Identifies the token, for its limits. */
  readonly tokenId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The only run that the token opens. Undefined: all. */
  readonly runId?: string | undefined;
}

/** Why a token opens nothing. */
export type TokenRefusal = "unknown" | "expired" | "revoked";

/** Finds the caller of a token. */
export type FindCaller = (token: string) => Caller | TokenRefusal | Promise<Caller | TokenRefusal>;

/** All scopes. */
export const allScopes: ReadonlySet<Scope> = new Set(scopes);

/** The run itself and what is below it; a comparison would show another run. */
const pathsOfOneRun = /^\/v1\/runs\/\{id\}(?:\/(?!diff$).*)?$/;

/** Why a caller may not use a route. Undefined if it may. */
export function whyForbidden(
  { scopes: own, runId }: Caller,
  { access, method, path }: Pick<Route, "access" | "path"> & { readonly method: string },
  params: Readonly<Record<string, string>>,
): string | undefined {
  const scope = allScopes as ReadonlySet<string>;
  if (scope.has(access) && !own.has("admin") && !(own as ReadonlySet<string>).has(access))
    return `this token has no scope "${access}"`;
  if (runId === undefined || (method === "GET" && pathsOfOneRun.test(path) && params["id"] === runId)) return undefined;
  // Its handler checks the topics.
  if (path === routes.stream_events.path) return undefined;
  return "this token opens one run only";
}
