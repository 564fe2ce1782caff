import type { Readable, Writable } from "node:stream";
import { PendingDialogues } from "./dialogue.ts";
import { newConversation, type ConnectedClients } from "./connected-clients.ts";
import { type ProtocolServerDeps, type ProtocolServer, createProtocolServer } from "./protocol-server.ts";

/** Dependencies of a server over a pair of streams. */
interface McpStdioDeps extends ProtocolServerDeps {
  readonly lines: ConnectedClients;
  readonly log: (message: string) => void;
}

/** A connection over a pair of streams. */
export interface McpStdioServer {
  /** Resolves when the client has disconnected, or {@link close} was called; all requests are aborted by then. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client that writes to `input` and reads from `output`, in the protocol version that it opens with. */
export async function serveStdio(parts: McpStdioDeps, input: Readable, output: Writable): Promise<McpStdioServer> {
  const { sdk, clock, lines, log } = parts;
  const { StdioServerTransport, serveStdio: serve } = await import("@modelcontextprotocol/server/stdio");
  const held = new PendingDialogues({ sdk, clock });
  const conversationId = newConversation();
  const ended = Promise.withResolvers<void>();
  const forget: (() => void)[] = [];
  const handle = serve(
    ({ era: protocolVersion }) => {
      const made: ProtocolServer = createProtocolServer(parts, { protocolVersion, held, conversationId });
      forget.push(lines.add(made));
      return made.server;
    },
    { transport: new StdioServerTransport(input, output), onerror: (error) => log(error.message) },
  );
  const end = (): void => ended.resolve();
  input.once("end", end).once("close", end).once("error", end);
  output.once("error", end).once("close", end);
  if (input.readableEnded || input.destroyed) end();
  const closed = ended.promise.then(async () => {
    for (const each of [input, output]) each.off("end", end).off("close", end).off("error", end);
    for (const each of forget) each();
    held.close();
    await handle.close();
  });
  return {
    closed,
    close: () => {
      end();
      return closed;
    },
  };
}
