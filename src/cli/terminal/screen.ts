/** Lines at the bottom of the terminal that are redrawn repeatedly, and give way to other output. */
export interface Area {
  hide(): void;
  show(): void;
}

/** A terminal whose lines can be redrawn. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Writes verbatim, including escape sequences. */
  write(text: string): void;
  /** Calls the listener after every change of size; the returned function stops that. */
  onResize(listener: () => void): () => void;
  /** From now on, other output goes above the area; the returned function ends that. */
  hold(area: Area): () => void;
}

/** A {@link Screen}, and a function for others to write beside its area. */
export interface ProcessScreen {
  /** Undefined if stderr is not a terminal, or cannot move its cursor. */
  readonly screen: Screen | undefined;
  /** Writes while the area is cleared. */
  readonly writeBeside: (write: () => void) => void;
}

/** The screen behind stderr; `write` is the original function of stderr, even if it is replaced. */
export function processScreen(write: (text: string) => void): ProcessScreen {
  let area: Area | undefined;
  const beside = (work: () => void): void => {
    area?.hide();
    work();
    area?.show();
  };
  const hold = (held: Area): (() => void) => {
    area = held;
    const letGo = bufferForeign((text) => beside(() => write(text)));
    return () => {
      if (area !== held) return;
      area = undefined;
      letGo();
    };
  };
  const isScreen = process.stderr.isTTY && process.env["TERM"] !== "dumb";
  return { writeBeside: beside, screen: isScreen ? screenOf({ write, hold }) : undefined };
}

function screenOf({ write, hold }: Pick<Screen, "write" | "hold">): Screen {
  const { stderr } = process;
  return {
    write,
    hold,
    // Some terminals report a size of 0.
    get columns() {
      return stderr.columns > 0 ? stderr.columns : 80;
    },
    get rows() {
      return stderr.rows > 0 ? stderr.rows : 24;
    },
    onResize: (listener) => {
      stderr.on("resize", listener);
      return () => void stderr.off("resize", listener);
    },
  };
}

/** Buffers direct writes of tools to stderr into whole lines, so that nothing is drawn behind half of one. */
function bufferForeign(write: (text: string) => void): () => void {
  const { stderr } = process;
  const before = Object.getOwnPropertyDescriptor(stderr, "write");
  let rest = "";
  // One signature for all overloads: between the text and the callback is the encoding.
  const collect = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
    rest += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    const end = rest.lastIndexOf("\n") + 1;
    if (end > 0) write(rest.slice(0, end));
    rest = rest.slice(end);
    const done = more.findLast((argument) => typeof argument === "function");
    if (done !== undefined) queueMicrotask(() => Reflect.apply(done, undefined, []));
    return true;
  };
  stderr.write = collect;
  return () => {
    // Restores the original, or an earlier replacement.
    if (before === undefined) Reflect.deleteProperty(stderr, "write");
    else Object.defineProperty(stderr, "write", before);
    if (rest !== "") write(`${rest}\n`);
    rest = "";
  };
}
