import type { ServerResponse } from "node:http";
import { type Clock, raceAbort } from "../../../base/index.ts";
import { wait, waitForAbort } from "../scripted-stream.ts";
import type { WireFaults } from "./wire-api.ts";

/** An outgoing response. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, chunk by chunk. */
  readonly chunks: readonly string[];
  /** A chunk that reports an error of the API within a stream; undefined for a response in one piece. */
  readonly errorChunk?: string;
  readonly faults?: WireFaults;
  readonly pieceDelayMs?: number;
}

/** Clock, and the connection state of the client. */
interface SendDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Sends a response, with all its faults. Returns whether it was sent completely; throws if the client disconnects. */
export async function sendModelResponse(
  response: ServerResponse,
  outgoing: Outgoing,
  world: SendDeps,
): Promise<"answered" | "broken"> {
  const { faults = {}, pieceDelayMs = 0 } = outgoing;
  const out = new PacketWriter(response, faults, world);
  response.writeHead(outgoing.status, outgoing.headers);
  const plan = planOf(outgoing);
  for (const [at, chunk] of plan.chunks.entries()) {
    if (at > 0 && pieceDelayMs > 0) await wait(world.clock, pieceDelayMs, world.signal);
    if (!(await out.write(chunk))) return breakOff(response, faults);
  }
  switch (plan.end) {
    case "whole":
      response.end();
      return plan.isBroken ? "broken" : "answered";
    case "cut":
      await out.flush();
      return breakOff(response, faults);
    case "hang":
      await out.flush();
      return waitForAbort(world.signal);
  }
}

function planOf({ chunks, errorChunk, faults = {} }: Outgoing): {
  readonly chunks: readonly string[];
  readonly end: "whole" | "cut" | "hang";
  readonly isBroken: boolean;
} {
  // A response in one piece is cut in its middle.
  const pieces = errorChunk === undefined ? halvesOf(chunks.join("")) : chunks;
  const label = (at: number): number => (errorChunk === undefined ? 1 : Math.min(at, pieces.length - 1));
  const { cut, hangAtChunk, malformedChunk, errorAtChunk } = faults;
  if (cut?.chunk !== undefined) return { chunks: pieces.slice(0, label(cut.chunk)), end: "cut", isBroken: true };
  if (hangAtChunk !== undefined) return { chunks: pieces.slice(0, label(hangAtChunk)), end: "hang", isBroken: true };
  if (errorAtChunk !== undefined && errorChunk !== undefined) {
    return { chunks: [...pieces.slice(0, label(errorAtChunk)), errorChunk], end: "whole", isBroken: true };
  }
  if (malformedChunk === undefined) return { chunks, end: "whole", isBroken: false };
  const at = label(malformedChunk);
  const broken = errorChunk === undefined ? pieces.slice(0, 1) : pieces.with(at, malformed(pieces[at] ?? ""));
  return { chunks: broken, end: "whole", isBroken: true };
}

function halvesOf(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** The chunk with half of its data. */
function malformed(chunk: string): string {
  return chunk.replace(/^data: (.*)$/m, (_, data: string) => `data: ${data.slice(0, Math.ceil(data.length / 2))}`);
}

/** Cuts the connection in the middle of a response, or ends the response as if it were complete. */
function breakOff(response: ServerResponse, { cut }: WireFaults): "broken" {
  if (cut?.cleanly === true) response.end();
  else response.destroy();
  return "broken";
}

/** Writes as fast as the client reads, in packets if requested, up to the byte limit. */
class PacketWriter {
  readonly #response: ServerResponse;
  readonly #world: SendDeps;
  readonly #packetBytes: number | undefined;
  #left: number;

  constructor(response: ServerResponse, { cut, packetBytes }: WireFaults, world: SendDeps) {
    this.#response = response;
    this.#world = world;
    this.#packetBytes = packetBytes;
    this.#left = cut?.byte ?? Infinity;
    if (packetBytes !== undefined) response.socket?.setNoDelay(true);
  }

  /** Returns false once the last allowed byte was sent. */
  async write(text: string): Promise<boolean> {
    const all = Buffer.from(text);
    const bytes = all.subarray(0, Math.min(all.length, this.#left));
    this.#left -= bytes.length;
    const size = this.#packetBytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      const taken = this.#response.write(bytes.subarray(at, at + size));
      if (!taken || this.#packetBytes !== undefined) await this.flush();
    }
    if (this.#left > 0) return true;
    await this.flush();
    return false;
  }

  /** Waits until everything is sent, or the client disconnects. */
  async flush(): Promise<void> {
    const { signal } = this.#world;
    signal.throwIfAborted();
    const sent = Promise.withResolvers<void>();
    this.#response.write("", () => sent.resolve());
    await raceAbort(sent.promise, signal);
  }
}
