import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Clock, FailureError } from "../../../base/index.ts";
import type { ProgramServer } from "../../../hub/index.ts";
import type { ChildFile, ChildFiles } from "./child-files.ts";
import { LogLines } from "./log-lines.ts";
import type { McpLimits } from "./mcp-limits.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { type Family, endFamily, signalFamily } from "./process-family.ts";
import { markVariable } from "./process-group.ts";
import { within } from "./within.ts";

/** What a program is started with. */
export interface ProgramOptions {
  readonly server: string;
  readonly address: ProgramServer;
  readonly files: ChildFiles;
  /** Ours; a program gets only a few of them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** What every program gets; all else it is told by the settings. */
const inherited: readonly string[] = (
  "PATH HOME USER LOGNAME SHELL TMPDIR TEMP TMP TZ LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES " +
  "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME " +
  // Windows cannot start a program without these.
  "SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA USERPROFILE"
).split(" ");

/** Programs that run, ended with this process where it can still do something. */
const running = new Set<Family>();
const endAll = (): void => {
  for (const family of running) signalFamily(family, "SIGTERM");
};

type Pipes = ChildProcessByStdio<Writable, Readable, Readable>;

/** A server's program, in a process group of its own, until nothing of what it started is left. */
export class Program {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly pid: number;
  /** How the program ended. */
  readonly exited: Promise<string>;
  /** Nothing of what it started runs any more, and its file is gone. */
  readonly gone: Promise<void>;
  readonly #child: Pipes;
  readonly #stderr: LogLines;
  readonly #options: ProgramOptions;
  readonly #family: Family;
  #ended = false;
  #ending: Promise<void> | undefined;

  /** Starts it. The file is written before anything else can happen. */
  static async start(options: ProgramOptions): Promise<Program> {
    const { address, files, server } = options;
    const mark = files.newMark();
    const child: Pipes = spawn(address.command, address.args, {
      cwd: address.cwd,
      env: { ...inheritedFrom(options.env), ...address.env, [markVariable]: mark },
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const { pid } = child;
    if (pid === undefined) throw await startFailure(child, options);
    try {
      return new Program(child, pid, { ...options, file: files.write(server, pid, mark) });
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  private constructor(child: Pipes, pid: number, options: ProgramOptions & { readonly file: ChildFile }) {
    this.#child = child;
    this.#options = options;
    this.pid = pid;
    this.#family = { group: pid, mark: options.file.child.mark };
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    const { clock, limits, log } = options;
    this.#stderr = new LogLines({ clock, linesPerSecond: limits.logLinesPerSecond, log });
    child.stderr.on("data", (bytes: Uint8Array) => this.#stderr.feed(bytes));
    // Broken pipes are told by the end of the program.
    for (const stream of [child.stdin, child.stdout, child.stderr, child]) stream.on("error", () => {});
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#ended = true;
        resolve(signal === null ? `with code ${code}` : `by ${signal}`);
      });
    });
    if (running.size === 0) process.on("exit", endAll);
    running.add(this.#family);
    this.gone = this.#untilGone(options.file);
  }

  /** The last lines that it wrote for people, to be put behind a failure. */
  lastLines(): string {
    const lines = this.#stderr.last();
    return lines.length === 0 ? "" : `; it wrote: ${lines.join(" | ").slice(-1_000)}`;
  }

  /** Whether it keeps this process alive. While it ends, it does. */
  hold(alive: boolean): void {
    if (this.#ending === undefined) this.#hold(alive);
  }

  #hold(alive: boolean): void {
    // Pipes are sockets, which the types do not say.
    for (const part of [this.#child, this.stdin, this.stdout, this.#child.stderr] as { ref?(): void; unref?(): void }[])
      if (alive) part.ref?.();
      else part.unref?.();
  }

  /** Ends it: closes its input, then asks it and what it started, then kills them. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#hold(true);
    this.stdin.end();
    const { limits, clock } = this.#options;
    if (!this.#ended && !(await within(this.exited, limits.endMs, clock))) {
      await endFamily(this.#family, limits.endMs, clock);
    }
    await this.gone;
  }

  /** Its first process may end before the others that it started. */
  async #untilGone(file: ChildFile): Promise<void> {
    await this.exited;
    const { limits, clock, log, server } = this.#options;
    const gone = await endFamily(this.#family, limits.endMs, clock);
    running.delete(this.#family);
    if (running.size === 0) process.off("exit", endAll);
    // Who still holds its output, if anybody, is no concern of ours.
    for (const stream of [this.stdin, this.stdout, this.#child.stderr]) stream.destroy();
    if (gone) file.remove();
    else log(`programs of the MCP server "${server}" (group ${this.pid}) cannot be ended`);
  }
}

function inheritedFrom(env: ProgramOptions["env"]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of inherited) {
    const value = env[name];
    // Old shells take such values for functions.
    if (value !== undefined && !value.startsWith("()")) kept[name] = value;
  }
  return kept;
}

async function startFailure(child: Pipes, { server, address }: ProgramOptions): Promise<FailureError> {
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
    child.once("error", resolve);
  });
  return mcpFailure("start_failed", `the MCP server "${server}" cannot be started: ${why(error, address)}`, {
    cause: error,
    forModel: `the MCP server "${server}" cannot be started`,
  });
}

function why({ code, message }: NodeJS.ErrnoException, { command, cwd }: ProgramServer): string {
  if (code === "ENOENT" && !existsSync(cwd)) return `its folder ${cwd} does not exist`;
  if (code === "ENOENT") return `the program ${JSON.stringify(command)} is not found; check "command" and the PATH`;
  if (code === "EACCES") return `${JSON.stringify(command)} may not be executed`;
  return message;
}
