import type { InboundGuard } from "./inbound-guard.ts";

/** The response of a server to pages of the allowed origins (CORS); others get no headers, so browsers hide it from them. */
export interface CrossOrigin {
  /** The response to a preflight request of an allowed origin; undefined for any other request. */
  preflight(request: Request): Response | undefined;
  /** Lets the page that sent the request read the response. */
  expose(request: Request): (response: Response) => Response;
}

/** Options of {@link createCrossOrigin}. */
export interface CrossOriginOptions {
  readonly guard: InboundGuard;
  readonly methods: readonly string[];
  /** Headers of responses that a page may read. */
  readonly exposed: readonly string[];
}

const preflightSeconds = 600;

/** Creates the handling of requests from pages of other origins. */
export function createCrossOrigin({ guard, methods, exposed }: CrossOriginOptions): CrossOrigin {
  const originOf = ({ headers }: Request): string | undefined => {
    const origin = headers.get("origin") ?? undefined;
    return guard.isAllowedOrigin(origin) ? origin : undefined;
  };
  return {
    preflight: (request) => {
      const { headers } = request;
      const origin = originOf(request);
      if (request.method !== "OPTIONS" || origin === undefined) return undefined;
      const site = headers.get("sec-fetch-site") ?? undefined;
      if (guard.refuse({ host: headers.get("host") ?? undefined, origin, site }) !== undefined) return undefined;
      return new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-origin": origin,
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": headers.get("access-control-request-headers") ?? "",
          "access-control-max-age": String(preflightSeconds),
          vary: "origin",
        },
      });
    },
    expose: (request) => (response) => {
      const origin = originOf(request);
      if (origin === undefined) return response;
      response.headers.set("access-control-allow-origin", origin);
      response.headers.set("access-control-expose-headers", exposed.join(", "));
      response.headers.append("vary", "origin");
      return response;
    },
  };
}
