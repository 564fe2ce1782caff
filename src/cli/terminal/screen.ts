/** Lines at the bottom of the terminal that are drawn again and again, and give way to everything else. */
export interface Area {
  hide(): void;
  show(): void;
}

/** A terminal on which lines can be drawn over. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Writes as it is, escape sequences included. */
  write(text: string): void;
  /** Calls back after every change of size, until what it gives is called. */
  onResize(listener: () => void): () => void;
  /** From now on whatever else is written goes above the area, until what it gives is called. */
  hold(area: Area): () => void;
}

/** A {@link Screen}, and the way for others to write beside what is drawn on it. */
export interface ProcessScreen {
  /** Undefined where stderr is no terminal, or one that cannot move its cursor. */
  readonly screen: Screen | undefined;
  /** Writes while the area is out of the way. */
  readonly beside: (write: () => void) => void;
}

/** The screen behind stderr; `write` is stderr's own way to write, whatever is put in its place. */
export function processScreen(write: (text: string) => void): ProcessScreen {
  const { stderr } = process;
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
  const isScreen = stderr.isTTY && process.env["TERM"] !== "dumb";
  return { beside, screen: isScreen ? screenOf({ write, hold }) : undefined };
}

function screenOf({ write, hold }: Pick<Screen, "write" | "hold">): Screen {
  const { stderr } = process;
  return {
    write,
    hold,
    // Some terminals say that they have no size at all.
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

/** What a tool's code writes to stderr by itself comes in whole lines, so that nothing is drawn behind half of one. */
function bufferForeign(write: (text: string) => void): () => void {
  const { stderr } = process;
  const before = Object.getOwnPropertyDescriptor(stderr, "write");
  let rest = "";
  // One signature for all: what stands between the text and the callback is its encoding.
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
    // Its own again, or what somebody put in its place before.
    if (before === undefined) Reflect.deleteProperty(stderr, "write");
    else Object.defineProperty(stderr, "write", before);
    if (rest !== "") write(`${rest}\n`);
    rest = "";
  };
}
