import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { settlesWithin, type Clock, type FailureError, parseJson } from "../../../base/index.ts";
import { failedResponse, mcpFailure, notSent } from "./mcp-reasons.ts";
import type { McpLimits } from "./mcp-limits.ts";
import { OpenRequests } from "./open-requests.ts";
import type { Program } from "./server-program.ts";
import { Traffic } from "./traffic.ts";

/** Time to read output written before the program ended, in case another process holds its stdout open. */
const finalOutputMs = 250;

/** Options of {@link StdioTransport}. */
export interface StdioOptions {
  readonly server: string;
  readonly program: Program;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** Messages as lines over the stdin and stdout of a program. */
export class StdioTransport implements Transport {
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  onmessage: Transport["onmessage"];
  /** These two members identify the transport as stdio to the client. */
  readonly pid: number;
  readonly stderr = null;
  /** The reason of the end, if it was not requested. */
  lost: FailureError | undefined;
  readonly #options: StdioOptions;
  readonly #requests = new OpenRequests();
  readonly #traffic: Traffic;
  #strangeLines = 0;
  #firstStrange = "";
  #state: "new" | "open" | "closed" = "new";

  constructor(options: StdioOptions) {
    this.#options = options;
    this.pid = options.program.pid;
    const { clock, limits, log, server } = options;
    this.#traffic = new Traffic({ server, clock, perSecond: limits.notificationsPerSecond, log });
  }

  /** Describes output that was not a message, to be appended to a failure. */
  get strangeOutput(): string {
    if (this.#strangeLines === 0) return "";
    return `; ${this.#strangeLines} lines of its output are not messages, such as ${JSON.stringify(this.#firstStrange)}`;
  }

  start(): Promise<void> {
    this.#state = "open";
    const { program, clock } = this.#options;
    const read = this.#read();
    void program.exited.then(async (how) => {
      await settlesWithin(read, finalOutputMs, clock);
      this.#lose(`ended ${how}`);
    });
    void read.then(async () => {
      // Usually its output closed because it ended.
      if (!(await settlesWithin(program.exited, finalOutputMs, clock))) this.#lose("closed its output");
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { program, server, limits } = this.#options;
    if (this.#state !== "open") return Promise.reject(notSent(server, this.lost));
    this.#requests.sent(message);
    program.hold(this.#requests.size > 0);
    if (program.stdin.writableLength > limits.messageBytes * 2) this.#lose("does not read its input");
    return new Promise((resolve) => {
      // If it cannot be written, the program has ended, and every request fails with that.
      program.stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  async close(): Promise<void> {
    const open = this.#state !== "closed";
    this.#state = "closed";
    await this.#options.program.end();
    if (open) this.onclose?.();
  }

  /** Fails every request in flight: only the ended program knew the responses. */
  #lose(how: string): void {
    if (this.#state !== "open") return;
    const { server, program } = this.#options;
    const reported = `the program of the MCP server "${server}" ${how}${program.lastLines()}${this.strangeOutput}`;
    // The log of a program is not for a model.
    const forModel = `the MCP server "${server}" ended during the call`;
    this.lost = mcpFailure("connection_lost", reported, { forModel });
    for (const id of this.#requests.ids()) this.#receive(failedResponse(id, this.lost));
    this.#state = "closed";
    void program.end();
    // By then every request has failed.
    setImmediate(() => this.onclose?.());
  }

  async #read(): Promise<void> {
    const lines = new MessageLines(this.#options.limits.messageBytes);
    try {
      for await (const piece of this.#options.program.stdout as AsyncIterable<Uint8Array>) {
        this.#traffic.begin();
        for (const line of lines.feed(piece)) {
          const isUnsolicited = this.#take(line);
          const pause = this.#traffic.after(isUnsolicited);
          // The client delivers notifications asynchronously: a response must not end their request before that.
          if (isUnsolicited || pause !== undefined) await pause;
        }
      }
    } catch {
      // A broken pipe means that the program has ended.
    }
  }

  /** Handles a line; true if it was not requested. */
  #take(line: MessageLine): boolean {
    if (line.kind === "oversized") {
      this.#refuse(line);
      return false;
    }
    const messages = parse(line.text);
    if (messages.length === 0 && line.text.trim() !== "") {
      this.#strangeLines++;
      if (this.#strangeLines === 1) this.#firstStrange = line.text.trim().slice(0, 200);
    }
    for (const message of messages) if (this.#requests.isAwaited(message)) this.#receive(message);
    return messages.every((message) => "method" in message);
  }

  #refuse({ id, bytes }: MessageLine & { kind: "oversized" }): void {
    const { server, limits, log } = this.#options;
    const reported = `a response of the MCP server "${server}" has ${bytes} bytes; the maximum is ${limits.messageBytes}`;
    log(reported);
    if (id === undefined) return;
    const response = failedResponse(id, mcpFailure("too_large", reported));
    if (this.#requests.isAwaited(response)) this.#receive(response);
  }

  #receive(message: JSONRPCMessage): void {
    this.#requests.received(message);
    this.#options.program.hold(this.#requests.size > 0);
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

export function isStdioTransport(value: unknown): value is StdioTransport {
  return value instanceof StdioTransport;
}

/** The messages of a line: one, or several in an array as older servers send them. */
function parse(text: string): readonly JSONRPCMessage[] {
  const value = parseJson(text);
  return (Array.isArray(value) ? value : [value]).filter(isMessage);
}

/** The client validates the rest of it by its kind. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}

const lineEnd = 0x0a;

/** A line of a program's output, or the id of one that was too long to buffer. */
export type MessageLine =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "oversized"; readonly id: string | number | undefined; readonly bytes: number };

/** Splits a stream of bytes into lines; of a line beyond the limit only the message's id is retained. */
export class MessageLines {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #skipped: TopLevelId | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes. */
  *feed(piece: Uint8Array): Generator<MessageLine, void> {
    let from = 0;
    for (let end = piece.indexOf(lineEnd); end !== -1; end = piece.indexOf(lineEnd, from)) {
      this.#add(piece.subarray(from, end));
      from = end + 1;
      yield this.#complete();
    }
    this.#add(piece.subarray(from));
  }

  #add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#skipped !== undefined) return this.#skipped.feed(bytes);
    this.#pieces.push(bytes);
    if (this.#size <= this.#maxBytes) return;
    this.#skipped = new TopLevelId();
    for (const piece of this.#pieces) this.#skipped.feed(piece);
    this.#pieces = [];
  }

  #complete(): MessageLine {
    const [pieces, bytes, skipped] = [this.#pieces, this.#size, this.#skipped];
    this.#pieces = [];
    this.#size = 0;
    this.#skipped = undefined;
    if (skipped !== undefined) return { kind: "oversized", id: skipped.id, bytes };
    const [first] = pieces;
    const whole = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
    return { kind: "line", text: Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString("utf8") };
  }
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Longer than every relevant name and id. */
const maxRetained = 64;

/**
 * Finds the `id` of a message that is too large to buffer: reads each byte once and stores next to nothing. Only the
 * `id` of the message itself counts, never a nested one.
 */
class TopLevelId {
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** Between the colon after a name and the comma after its value. */
  #inValue = false;
  #name = "";
  #value = "";

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#inText) this.#text(byte);
      else this.#mark(byte);
    }
  }

  /** The id, once the whole message was read; undefined if it has none. */
  get id(): string | number | undefined {
    const id = parseJson(this.#value);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  }

  #text(byte: number): void {
    this.#keep(byte);
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inText = false;
  }

  #mark(byte: number): void {
    if (byte === closeBrace || byte === closeBracket) this.#depth--;
    else if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === quote) {
      this.#inText = true;
      if (this.#depth === 1 && !this.#inValue) this.#name = "";
      this.#keep(byte);
    } else if (this.#depth === 1 && byte === colon) this.#inValue = true;
    else if (this.#depth === 1 && byte === comma) this.#inValue = false;
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth !== 1) return;
    if (!this.#inValue) {
      if (this.#name.length < maxRetained) this.#name += String.fromCharCode(byte);
    } else if (this.#name.trim() === '"id"' && this.#value.length < maxRetained) {
      this.#value += String.fromCharCode(byte);
    }
  }
}
