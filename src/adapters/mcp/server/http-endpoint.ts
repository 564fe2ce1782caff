import { exceedsJsonKeys, inputLimits, nodeCrypto, parseJson } from "../../../base/index.ts";
import { readRequestBody } from "../../../net/index.ts";
import type { ConnectedClients } from "./connected-clients.ts";
import { PendingDialogues } from "./dialogue.ts";
import { HttpSessions, type McpHttpCaller, type SessionResponse } from "./http-sessions.ts";
import { type ProtocolServerDeps, createProtocolServer } from "./protocol-server.ts";
import type { McpHttpHandler } from "./sdk.ts";

/** Limits on the load that clients with a token can cause. */
export interface McpEndpointLimits {
  /** Maximum size of one request. */
  readonly bodyBytes: number;
  /** Maximum number of messages in one request. */
  readonly batch: number;
  readonly sessions: number;
  readonly sessionIdleMs: number;
}

/** Default limits. */
export const defaultMcpEndpointLimits: McpEndpointLimits = {
  bodyBytes: 4 << 20,
  batch: 50,
  sessions: 100,
  sessionIdleMs: 1_800_000,
};

/** Dependencies of {@link McpEndpoint}. */
export interface McpEndpointDeps extends ProtocolServerDeps {
  readonly lines: ConnectedClients;
  readonly log: (message: string) => void;
}

/**
 * Answers requests of MCP clients whose token has been checked, in both protocol versions: sessions for clients of 2025,
 * single requests for those of 2026.
 */
export class McpEndpoint {
  readonly #parts: McpEndpointDeps;
  readonly #limits: McpEndpointLimits;
  readonly #held: PendingDialogues;
  readonly #modern: McpHttpHandler;
  readonly #sessions: HttpSessions;
  readonly #forget: () => void;
  #isClosed = false;

  constructor(parts: McpEndpointDeps, limits: Partial<McpEndpointLimits> = {}) {
    const { sdk, clock, lines, log } = parts;
    this.#parts = parts;
    this.#limits = { ...defaultMcpEndpointLimits, ...limits };
    const held = (this.#held = new PendingDialogues({ sdk, clock }));
    this.#modern = sdk.createMcpHandler(
      ({ era: protocolVersion, authInfo }) => {
        // `respond` passes the caller.
        const by = authInfo?.extra as unknown as McpHttpCaller;
        return createProtocolServer(parts, { protocolVersion, held, session: sessionOf(by), by }).server;
      },
      { legacy: "reject", onerror: (error) => log(error.message) },
    );
    this.#forget = lines.addHandler(this.#modern);
    const { sessions: maxSessions, sessionIdleMs: idleMs } = this.#limits;
    this.#sessions = new HttpSessions({ ...parts, held, maxSessions, idleMs });
  }

  /** Answers a request. Never throws. */
  async respond(request: Request, caller: McpHttpCaller): Promise<Response> {
    try {
      return await this.#respond(request, caller);
    } catch (error) {
      if (!request.signal.aborted) this.#parts.log(`a request failed: ${String(error)}`);
      return mcpError(500, "Internal server error", { code: -32_603 });
    }
  }

  /** Ends all requests and sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#forget();
    this.#held.close();
    await Promise.all([this.#sessions.close(), this.#modern.close()]);
  }

  async #respond(request: Request, caller: McpHttpCaller): Promise<Response> {
    if (this.#isClosed) return mcpError(503, "the server is shutting down", { headers: { "retry-after": "5" } });
    if (request.method !== "POST") return this.#answer(request, caller, undefined);
    const { bodyBytes, batch } = this.#limits;
    const text = await readRequestBody(request, bodyBytes);
    if (text === undefined || exceedsJsonKeys(text, inputLimits.requestKeys)) return tooLarge();
    const body = parseJson(text);
    if (body === undefined) return mcpError(400, "Parse error: the body is not JSON", { code: -32_700 });
    if (Array.isArray(body) && body.length > batch) return tooLarge();
    return this.#answer(request, caller, body);
  }

  async #answer(request: Request, caller: McpHttpCaller, body: unknown): Promise<Response> {
    // The body was read, so that only the head is passed on.
    const { method, headers, signal } = request;
    const head = new Request(request.url, { method, headers, signal });
    const isLegacy = await this.#parts.sdk.isLegacyRequest(head, body);
    const { response, sent } = await (isLegacy
      ? this.#sessions.handle({ request: head, body, caller })
      : this.#single(head, caller, body));
    return onceSent(response, sent);
  }

  async #single(request: Request, caller: McpHttpCaller, body: unknown): Promise<SessionResponse> {
    const authInfo = { token: "", clientId: caller.id, scopes: [], extra: { ...caller } };
    return { response: await this.#modern.fetch(request, { parsedBody: body, authInfo }), sent: () => {} };
  }
}

/** Distinguishes the dialogues of one token from those of others. */
function sessionOf({ id }: McpHttpCaller): string {
  return `token-${nodeCrypto().createHash("sha256").update(id).digest("base64url")}`;
}

/** Options of {@link mcpError}. */
interface McpErrorOptions {
  /** Code of JSON-RPC. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response in the form of the protocol. */
export function mcpError(status: number, message: string, { code = -32_000, headers }: McpErrorOptions = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, ...(headers && { headers }) });
}

function tooLarge(): Response {
  return mcpError(413, "the request is too large");
}

/** The same response; `sent` is called when its body was read to its end, or is not read any more. */
function onceSent(response: Response, sent: () => void): Response {
  if (response.body === null) {
    sent();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        sent();
        controller.close();
      } catch (error) {
        sent();
        controller.error(error);
      }
    },
    cancel: (reason) => {
      sent();
      return reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
