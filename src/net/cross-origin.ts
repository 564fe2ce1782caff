import type { InboundGuard } from "./inbound-guard.ts";

type Handle<More extends readonly unknown[]> = (request: Request, ...more: More) => Response | Promise<Response>;

/** Lets pages of the allowed origins send requests and read the responses (CORS); other pages are refused later. */
export function allowingOrigins<More extends readonly unknown[]>(
  guard: InboundGuard,
  handle: Handle<More>,
): Handle<More> {
  return (request, ...more) => {
    const { headers, method } = request;
    const origin = headers.get("origin");
    if (origin === null || !guard.isAllowedOrigin(origin)) return handle(request, ...more);
    const allow = (response: Response): Response => {
      response.headers.set("access-control-allow-origin", origin);
      response.headers.append("vary", "origin");
      return response;
    };
    if (method === "OPTIONS" && headers.has("access-control-request-method")) return allow(preflight(headers));
    const answered = handle(request, ...more);
    return answered instanceof Response ? exposed(allow(answered)) : answered.then((each) => exposed(allow(each)));
  };
}

const preflightSeconds = "600";

/** Sent by a browser before the request: it carries no token, and starts nothing. */
function preflight(sent: Headers): Response {
  const headers = {
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers": sent.get("access-control-request-headers") ?? "",
    "access-control-max-age": preflightSeconds,
  };
  return new Response(null, { status: 204, headers });
}

function exposed(response: Response): Response {
  response.headers.set("access-control-expose-headers", "*");
  return response;
}
