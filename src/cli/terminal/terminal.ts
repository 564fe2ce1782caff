import { type Screen, processScreen } from "./screen.ts";

/** Not imported: importing node:util loads more than printing the whole help takes. */
const { styleText } = process.getBuiltinModule("node:util");

/** Style of a piece of text. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Output of a command: results on stdout, everything else on stderr. */
export interface Terminal {
  /** Prints a line of the result to stdout. */
  print(line: string): void;
  /** Logs a line to stderr. */
  log(line: string): void;
  /**
   * Shows the current activity: a line on stderr that other lines replace, if stderr is a terminal. Without a line,
   * clears it.
   */
  status(line?: string): void;
  /** Paints text for stdout, if colors are enabled. */
  paint(style: Style, text: string): string;
  /** Paints text for stderr. */
  tint(style: Style, text: string): string;
  /** Columns of stdout; undefined if it is not a terminal and lines may have any length. */
  readonly columns: number | undefined;
  /** Columns of stderr. */
  readonly sideColumns: number | undefined;
  /** True if colors are enabled on stderr. */
  readonly sideColors: boolean;
  /** Screen with redrawable lines; undefined if stderr is not a terminal. */
  readonly screen: Screen | undefined;
  /** True if the user can be prompted. */
  readonly interactive: boolean;
  /** Resolves once everything written so far has left the process, or can no longer leave it. */
  drained(): Promise<void>;
  /** Reason why a part of the result could not be written, if any. */
  readonly fault: string | undefined;
  /** True if anything was printed. */
  readonly printed: boolean;
}

/**
 * The terminal of this process. If the reader goes away (`| head`), output stops, but the work does not. From now on
 * stdout is for results only: other output, such as `console.log` of a tool, goes to stderr.
 */
export function processTerminal(): Terminal {
  let fault: string | undefined;
  let printed = false;
  const streams = [withOwnWrite(process.stdout), withOwnWrite(process.stderr)] as const;
  const out = quietly(streams[0], (error) => (fault = error.message));
  const side = quietly(streams[1], () => {});
  const { screen, writeBeside } = processScreen(side);
  // Resolved on each write: while something is drawn on the screen, stderr buffers whole lines.
  process.stdout.write = ((...input: Parameters<typeof process.stderr.write>) =>
    process.stderr.write(...input)) as typeof process.stderr.write;
  let status = "";
  const setStatus = (line: string): void => {
    if (line !== status && process.stderr.isTTY && process.env["TERM"] !== "dumb") side(`\r\x1b[K${line}`);
    status = line;
  };
  const clean = (write: (text: string) => void, line: string): void => {
    const before = status;
    setStatus("");
    writeBeside(() => write(`${line}\n`));
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
    log: (line) => clean(side, line),
    status: (line = "") => setStatus(line),
    paint: (style, text) => painted(process.stdout, style, text),
    tint: (style, text) => painted(process.stderr, style, text),
    // Read each time, since a terminal may be resized.
    get columns() {
      return columnsOf(process.stdout);
    },
    get sideColumns() {
      return columnsOf(process.stderr);
    },
    screen,
    sideColors: painted(process.stderr, "bold", "x") !== "x",
    get interactive() {
      // Read lazily and last: merely accessing stdin opens it.
      return process.stderr.isTTY && process.stdin.isTTY;
    },
  };
}

/** A stream with its original `write`, which may be replaced later. */
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
          // The callback runs after earlier writes, and after their errors.
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
    // A reader that closed the pipe is not an error; a full disk is.
    if (error.code !== "EPIPE") onFault(error);
  });
  return (text) => {
    if (!gone && !stream.destroyed) write(text);
  };
}

/** Some terminals report 0 columns. */
function columnsOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY && stream.columns > 0 ? stream.columns : undefined;
}

function painted(stream: NodeJS.WriteStream, style: Style, text: string): string {
  return styleText(style, text, { stream });
}
