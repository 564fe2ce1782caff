import type { ServerResponse } from "node:http";
import type { InboundGuard } from "./inbound-guard.ts";

/** The target of a response. */
interface Outgoing {
  /** The response of Node, if it is written directly. */
  readonly outgoing?: Pick<ServerResponse, "setHeader"> | undefined;
}

type Handle<Connection extends Outgoing> = (request: Request, connection: Connection) => Response | Promise<Response>;

/** Lets pages of the allowed origins send requests and read the responses (CORS); other pages are refused later. */
export function allowingOrigins<Connection extends Outgoing>(
  guard: InboundGuard,
  handle: Handle<Connection>,
): Handle<Connection> {
  return (request, connection) => {
    const { headers, method } = request;
    const origin = headers.get("origin");
    if (origin === null || !guard.isAllowedOrigin(origin)) return handle(request, connection);
    const own = { "access-control-allow-origin": origin, vary: "origin" };
    if (method === "OPTIONS" && headers.has("access-control-request-method"))
      return new Response(null, { status: 204, headers: { ...own, ...preflight(headers) } });
    const exposed = { ...own, "access-control-expose-headers": "*" };
    const { outgoing } = connection;
    // The headers of Node's response are merged with those that are written later.
    for (const [name, value] of Object.entries(exposed)) outgoing?.setHeader(name, value);
    const answered = handle(request, connection);
    if (outgoing !== undefined) return answered;
    return answered instanceof Response
      ? withHeaders(answered, exposed)
      : answered.then((each) => withHeaders(each, exposed));
  };
}

const preflightSeconds = "600";

/** Sent by a browser before the request: it carries no token, and starts nothing. */
function preflight(sent: Headers): Readonly<Record<string, string>> {
  return {
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers": sent.get("access-control-request-headers") ?? "",
    "access-control-max-age": preflightSeconds,
  };
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
