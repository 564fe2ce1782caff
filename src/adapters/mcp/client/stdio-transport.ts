import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Clock, FailureError } from "../../../base/index.ts";
import { failedResponse } from "./local-failure.ts";
import type { McpLimits } from "./mcp-limits.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { type MessageLine, MessageLines } from "./message-lines.ts";
import { notSent } from "./not-sent.ts";
import { OpenRequests } from "./open-requests.ts";
import type { Program } from "./program.ts";
import { Traffic } from "./traffic.ts";
import { within } from "./within.ts";

/** What was written before a program ended is still read, unless another process holds its output open. */
const lastWordsMs = 250;

/** What {@link StdioTransport} needs. */
export interface StdioOptions {
  readonly server: string;
  readonly program: Program;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** Messages as lines over the input and output of a program. */
export class StdioTransport implements Transport {
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  onmessage: Transport["onmessage"];
  /** By these two the client knows that it speaks to a program. */
  readonly pid: number;
  readonly stderr = null;
  /** Why it is over, where nobody asked for it. */
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

  /** What it wrote besides messages, to be put behind a failure. */
  get strangeOutput(): string {
    if (this.#strangeLines === 0) return "";
    return `; ${this.#strangeLines} lines of its output are no messages, such as ${JSON.stringify(this.#firstStrange)}`;
  }

  start(): Promise<void> {
    this.#state = "open";
    const { program, clock } = this.#options;
    const read = this.#read();
    void program.exited.then(async (how) => {
      await within(read, lastWordsMs, clock);
      this.#lose(`ended ${how}`);
    });
    void read.then(async () => {
      // Most often it has closed its output by ending.
      if (!(await within(program.exited, lastWordsMs, clock))) this.#lose("closed its output");
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
      // Where it cannot be written, the program has ended, and that is told to every request.
      program.stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  async close(): Promise<void> {
    const open = this.#state !== "closed";
    this.#state = "closed";
    await this.#options.program.end();
    if (open) this.onclose?.();
  }

  /** Fails every request under way: the answer can only be known to a program that is gone. */
  #lose(how: string): void {
    if (this.#state !== "open") return;
    const { server, program } = this.#options;
    const told = `the program of the MCP server "${server}" ${how}${program.lastLines()}${this.strangeOutput}`;
    // What a program writes for people is not for a model.
    const forModel = `the MCP server "${server}" ended while the call was under way`;
    this.lost = mcpFailure("connection_lost", told, { forModel });
    for (const id of this.#requests.ids()) this.#receive(failedResponse(id, this.lost));
    this.#state = "closed";
    void program.end();
    // By then every request has failed.
    setImmediate(() => this.onclose?.());
  }

  async #read(): Promise<void> {
    const { program, limits } = this.#options;
    const lines = new MessageLines(limits.messageBytes);
    try {
      for await (const piece of program.stdout as AsyncIterable<Uint8Array>) {
        this.#traffic.begin();
        for (const line of lines.feed(piece)) {
          const unasked = this.#take(line);
          const pause = this.#traffic.after(unasked);
          // The client tells notifications a moment later: before that, no answer may end what they are about.
          if (unasked || pause !== undefined) await pause;
        }
      }
    } catch {
      // A pipe that breaks is a program that ends.
    }
  }

  /** Takes a line; true where it is one that nobody asked for. */
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
    const told = `an answer of the MCP server "${server}" has ${bytes} bytes; at most ${limits.messageBytes} are taken`;
    log(told);
    if (id === undefined) return;
    const response = failedResponse(id, mcpFailure("too_large", told));
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

/** The messages of a line: one, or several in a list as older servers send them. */
function parse(text: string): readonly JSONRPCMessage[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter(isMessage);
  } catch {
    return [];
  }
}

/** The client looks at the rest of it by its kind. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}
