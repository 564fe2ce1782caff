import { type Clock, type Timer, nodeCrypto } from "../../../base/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { PendingDialogues } from "./dialogue.ts";
import { newConversation, type ConnectedClients } from "./connected-clients.ts";
import { type ProtocolServerDeps, createProtocolServer } from "./protocol-server.ts";
import type { Server, WebStandardStreamableHTTPServerTransport } from "./sdk.ts";

/** Options of {@link HttpSessions}. */
interface HttpSessionsDeps extends ProtocolServerDeps {
  readonly lines: ConnectedClients;
  readonly held: PendingDialogues;
  readonly clock: Clock;
  /** Maximum number of sessions; a new one evicts an idle one of the client that has the most. */
  readonly maxSessions: number;
  /** Milliseconds after which an idle session is closed. */
  readonly idleMs: number;
}

/** The token that a client sent. */
export interface McpHttpCaller {
  /** Identifies the token: its sessions are closed to others. */
  readonly id: string;
  /** The principal of its calls. Default: that of the server. */
  readonly principal?: string;
  /** False if its user may not approve calls. Default: true. */
  readonly mayApprove?: boolean;
}

/** A parsed request. */
interface ReadRequest {
  readonly request: Request;
  readonly caller: McpHttpCaller;
  /** The JSON of the body; undefined if there is none. */
  readonly body: unknown;
}

interface Session {
  readonly id: string;
  /** The token that began it. */
  readonly callerId: string;
  /** The name that the client gave in the handshake. */
  readonly client: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Number of responses being sent, including the open stream of the session. */
  open: number;
  /** Number of requests since the handshake. */
  requests: number;
  usedAt: number;
}

/** A response, and a callback for when it is sent. */
export interface SessionResponse {
  readonly response: Response;
  readonly sent: () => void;
}

/** The sessions of protocol version 2025: started by a handshake, bounded in number and idle time. */
export class HttpSessions {
  readonly #parts: HttpSessionsDeps;
  /** Longest unused first. */
  readonly #sessions = new Map<string, Session>();
  #sweep: Timer | undefined;

  constructor(parts: HttpSessionsDeps) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle({ request, body, caller }: ReadRequest): Promise<SessionResponse> {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await this.#begin(body, caller) : this.#find(id, caller);
    if (session === undefined) return refused(id === null ? noSession : unknownSession);
    if (session === "full") return refused(tooManySessions);
    this.#use(session);
    session.open++;
    if (id !== null) session.requests++;
    const sent = (): void => {
      session.open--;
      this.#use(session);
    };
    try {
      const response = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      // A failed handshake leaves no session.
      if (session.transport.sessionId === undefined) this.#close(session);
      return { response, sent };
    } catch (error) {
      sent();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#sweep?.cancel();
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(({ server }) => server.close()));
  }

  #find(id: string, caller: McpHttpCaller): Session | undefined {
    const session = this.#sessions.get(id);
    return session?.callerId === caller.id ? session : undefined;
  }

  async #begin(body: unknown, caller: McpHttpCaller): Promise<Session | "full" | undefined> {
    if (!(isRecord(body) && body["method"] === "initialize")) return undefined;
    if (this.#sessions.size >= this.#parts.maxSessions && !this.#evictIdle()) return "full";
    const { sdk, held, lines, clock } = this.#parts;
    const id = nodeCrypto().randomUUID();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const made = createProtocolServer(this.#parts, {
      protocolVersion: "legacy",
      held,
      conversationId: newConversation(),
      by: caller,
    });
    const forget = lines.add(made);
    const session: Session = {
      id,
      callerId: caller.id,
      client: clientIn(body),
      server: made.server,
      transport,
      open: 0,
      requests: 0,
      usedAt: clock.elapsed(),
    };
    // Before anything is awaited, so that simultaneous requests are counted.
    this.#sessions.set(id, session);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an event target
    made.server.onclose = () => {
      this.#sessions.delete(id);
      forget();
    };
    await made.server.connect(transport);
    this.#sweep ??= this.#sweepLater();
    return session;
  }

  #use(session: Session): void {
    session.usedAt = this.#parts.clock.elapsed();
    if (this.#sessions.delete(session.id)) this.#sessions.set(session.id, session);
  }

  /**
   * Closes an idle session of the client that has the most, so that a client that opens many does not evict others; of
   * those, the session with the fewest requests, and the one that has been idle longest.
   */
  #evictIdle(): boolean {
    const all = [...this.#sessions.values()];
    const counts = new Map<string, number>();
    for (const { client } of all) counts.set(client, (counts.get(client) ?? 0) + 1);
    const count = ({ client }: Session): number => counts.get(client) ?? 0;
    const idle = all.filter(({ open }) => open === 0);
    const [first] = idle.toSorted((a, b) => count(b) - count(a) || a.requests - b.requests);
    if (first === undefined) return false;
    this.#close(first);
    return true;
  }

  #close({ id, server }: Session): void {
    this.#sessions.delete(id);
    void server.close().catch(() => undefined);
  }

  #sweepLater(): Timer {
    const { clock, idleMs } = this.#parts;
    const timer = clock.after(Math.max(idleMs / 4, 10), () => {
      const since = clock.elapsed() - idleMs;
      for (const session of this.#sessions.values())
        if (session.open === 0 && session.usedAt < since) this.#close(session);
      this.#sweep = this.#sessions.size === 0 ? undefined : this.#sweepLater();
    });
    timer.hold(false);
    return timer;
  }
}

function clientIn(body: unknown): string {
  const params = isRecord(body) && isRecord(body["params"]) ? body["params"] : {};
  const info = isRecord(params["clientInfo"]) ? params["clientInfo"] : {};
  return String(info["name"]);
}

const noSession = { status: 400, message: "begin with initialize; after that, send Mcp-Session-Id" };
const unknownSession = { status: 404, message: "Session not found" };
const tooManySessions = { status: 503, message: "too many sessions are in use; try again later" };

function refused({ status, message }: { status: number; message: string }): SessionResponse {
  const code = status === 404 ? -32_001 : -32_000;
  const response = Response.json(
    { jsonrpc: "2.0", error: { code, message }, id: null },
    { status, ...(status === 503 && { headers: { "retry-after": "5" } }) },
  );
  return { response, sent: () => {} };
}
