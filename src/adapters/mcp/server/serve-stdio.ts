import type { Readable, Writable } from "node:stream";
import { HeldDialogues } from "./held-dialogues.ts";
import { newConversation } from "./new-conversation.ts";
import { type ProtocolParts, type ProtocolServer, createProtocolServer } from "./protocol-server.ts";
import type { ServingLines } from "./serving-lines.ts";

/** What is served over a pair of streams. */
export interface StdioParts extends ProtocolParts {
  readonly lines: ServingLines;
  readonly log: (message: string) => void;
}

/** A connection over a pair of streams. */
export interface StdioServing {
  /** Resolves when the client is gone, or {@link close} was called; what was under way is aborted by then. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client that writes to `input` and reads from `output`, in the era in which it opens. */
export async function serveStdio(parts: StdioParts, input: Readable, output: Writable): Promise<StdioServing> {
  const { sdk, clock, lines, log } = parts;
  const { StdioServerTransport, serveStdio: serve } = await import("@modelcontextprotocol/server/stdio");
  const held = new HeldDialogues({ sdk, clock });
  const conversationId = newConversation();
  const ended = Promise.withResolvers<void>();
  const forget: (() => void)[] = [];
  const handle = serve(
    ({ era }) => {
      const made: ProtocolServer = createProtocolServer(parts, { era, held, conversationId });
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
