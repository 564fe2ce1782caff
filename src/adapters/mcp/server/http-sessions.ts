import { type Clock, type Timer, nodeCrypto } from "../../../base/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { HeldDialogues } from "./held-dialogues.ts";
import { newConversation } from "./new-conversation.ts";
import { type ProtocolParts, createProtocolServer } from "./protocol-server.ts";
import type { Server, WebStandardStreamableHTTPServerTransport } from "./sdk.ts";
import type { ServingLines } from "./serving-lines.ts";

/** What {@link HttpSessions} needs. */
export interface HttpSessionsParts extends ProtocolParts {
  readonly lines: ServingLines;
  readonly held: HeldDialogues;
  readonly clock: Clock;
  /** At most so many; the one that is idle for longest makes room. */
  readonly most: number;
  /** One that nobody used for so long is closed. */
  readonly idleMs: number;
}

/** A request as it was read. */
export interface ReadRequest {
  readonly request: Request;
  /** The JSON of the body; undefined where there is none. */
  readonly body: unknown;
}

interface Session {
  readonly id: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Answers that are still being sent, the open stream of the session among them. */
  open: number;
  usedAt: number;
}

/** An answer, and what to do when it is sent. */
export interface SessionAnswer {
  readonly response: Response;
  readonly sent: () => void;
}

/** The sessions of the 2025 era: begun by a handshake, bounded in number and in idle time. */
export class HttpSessions {
  readonly #parts: HttpSessionsParts;
  /** Longest unused first. */
  readonly #sessions = new Map<string, Session>();
  #sweep: Timer | undefined;

  constructor(parts: HttpSessionsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle({ request, body }: ReadRequest): Promise<SessionAnswer> {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await this.#begin(body) : this.#sessions.get(id);
    if (session === undefined) return refused(id === null ? noSession : unknownSession);
    if (session === "full") return refused(noRoom);
    this.#use(session);
    session.open++;
    const sent = (): void => {
      session.open--;
      this.#use(session);
    };
    try {
      const response = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      // A handshake that failed leaves nothing behind.
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

  async #begin(body: unknown): Promise<Session | "full" | undefined> {
    if (!isHandshake(body)) return undefined;
    if (this.#sessions.size >= this.#parts.most && !this.#makeRoom()) return "full";
    const { sdk, held, lines, clock } = this.#parts;
    const id = nodeCrypto().randomUUID();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const made = createProtocolServer(this.#parts, { era: "legacy", held, conversationId: newConversation() });
    const forget = lines.add(made);
    const session: Session = { id, server: made.server, transport, open: 0, usedAt: clock.elapsed() };
    // Before anything is awaited: those that come at once are counted.
    this.#sessions.set(id, session);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
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

  #makeRoom(): boolean {
    const idle = [...this.#sessions.values()].find(({ open }) => open === 0);
    if (idle === undefined) return false;
    this.#close(idle);
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

function isHandshake(body: unknown): boolean {
  return isRecord(body) && body["method"] === "initialize";
}

const noSession = { status: 400, message: "begin with initialize; after that, send Mcp-Session-Id" };
const unknownSession = { status: 404, message: "Session not found" };
const noRoom = { status: 503, message: "too many sessions are in use; try again later" };

function refused({ status, message }: { status: number; message: string }): SessionAnswer {
  const code = status === 404 ? -32_001 : -32_000;
  const response = Response.json(
    { jsonrpc: "2.0", error: { code, message }, id: null },
    { status, ...(status === 503 && { headers: { "retry-after": "5" } }) },
  );
  return { response, sent: () => {} };
}
