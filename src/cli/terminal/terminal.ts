import { type Screen, processScreen } from "./screen.ts";

/** Not imported: importing node:util loads more than the whole help takes to print. */
const { styleText } = process.getBuiltinModule("node:util");

/** How a piece of text is painted. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Where a command writes: results on one side, everything else on the other. */
export interface Terminal {
  /** A line of the result, on stdout. */
  print(line: string): void;
  /** A line about the work, on stderr. */
  tell(line: string): void;
  /** What goes on right now: a line on stderr that other lines replace, where stderr is a terminal. None clears it. */
  status(line?: string): void;
  /** Paints text for stdout, where colours are wanted. */
  paint(style: Style, text: string): string;
  /** Paints text for stderr. */
  tint(style: Style, text: string): string;
  /** Columns of stdout; undefined where it is no terminal and lines may be as long as they like. */
  readonly columns: number | undefined;
  /** Columns of stderr. */
  readonly sideColumns: number | undefined;
  /** Are colours wanted on stderr? */
  readonly sideColors: boolean;
  /** Where lines can be drawn over; undefined where stderr is no terminal. */
  readonly screen: Screen | undefined;
  /** Can a person be asked? */
  readonly interactive: boolean;
  /** Resolves when everything written so far has left the process, or can no longer. */
  drained(): Promise<void>;
  /** Why a part of the result could not be written, if it could not. */
  readonly fault: string | undefined;
  /** Was anything printed? */
  readonly printed: boolean;
}

/**
 * The terminal of this process. A reader that went away (`| head`) ends the writing, not the work. From now on stdout is
 * for results alone: what anyone else writes there, such as the `console.log` of a tool, goes to stderr.
 */
export function processTerminal(): Terminal {
  let fault: string | undefined;
  let printed = false;
  const streams = [withOwnWrite(process.stdout), withOwnWrite(process.stderr)] as const;
  const out = quietly(streams[0], (error) => (fault = error.message));
  const side = quietly(streams[1], () => {});
  const { screen, beside } = processScreen(side);
  // Looked up each time: while something is drawn on the screen, stderr collects whole lines.
  process.stdout.write = ((...given: Parameters<typeof process.stderr.write>) =>
    process.stderr.write(...given)) as typeof process.stderr.write;
  let status = "";
  const setStatus = (line: string): void => {
    if (line !== status && process.stderr.isTTY && process.env["TERM"] !== "dumb") side(`\r\x1b[K${line}`);
    status = line;
  };
  const clean = (write: (text: string) => void, line: string): void => {
    const before = status;
    setStatus("");
    beside(() => write(`${line}\n`));
    setStatus(before);
  };
  return {
    get fault() {
      return fault;
    },
    get printed() {
      return printed;
    },
    drained: () => drained(streams),
    print: (line) => {
      printed = true;
      clean(out, line);
    },
    tell: (line) => clean(side, line),
    status: (line = "") => setStatus(line),
    paint: (style, text) => painted(process.stdout, style, text),
    tint: (style, text) => painted(process.stderr, style, text),
    // Asked for each time: a terminal may be made wider or narrower.
    get columns() {
      return columnsOf(process.stdout);
    },
    get sideColumns() {
      return columnsOf(process.stderr);
    },
    screen,
    sideColors: painted(process.stderr, "bold", "x") !== "x",
    get interactive() {
      // Asked for late: merely looking at stdin opens it.
      return process.stdin.isTTY && process.stderr.isTTY;
    },
  };
}

/** A stream, and its own way to write, whatever is put in its place later. */
interface Output {
  readonly stream: NodeJS.WriteStream;
  readonly write: NodeJS.WriteStream["write"];
}

function withOwnWrite(stream: NodeJS.WriteStream): Output {
  return { stream, write: stream.write.bind(stream) };
}

async function drained(outputs: readonly Output[]): Promise<void> {
  await Promise.all(
    outputs.map(
      ({ stream, write }) =>
        new Promise<void>((resolve) => {
          // The callback comes after what was written before, and after its error.
          if (stream.destroyed) setImmediate(resolve);
          else write("", () => setImmediate(resolve));
        }),
    ),
  );
}

function quietly({ stream, write }: Output, onFault: (error: Error) => void): (text: string) => void {
  let gone = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    gone = true;
    // A reader that has seen enough is no fault; a full disk is.
    if (error.code !== "EPIPE") onFault(error);
  });
  return (text) => {
    if (!gone && !stream.destroyed) write(text);
  };
}

/** Some terminals say that they have no columns at all. */
function columnsOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY && stream.columns > 0 ? stream.columns : undefined;
}

function painted(stream: NodeJS.WriteStream, style: Style, text: string): string {
  return styleText(style, text, { stream });
}
