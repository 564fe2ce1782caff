import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { settlesWithin, type FailureError } from "../../../base/index.ts";
import { type McpStdioAddress, fetchesPackage } from "../../../hub/index.ts";
import type { ChildFile, ChildFiles } from "./child-files.ts";
import { LogLines } from "./log-lines.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { type ProcessFamily, endFamily, signalFamily, markVariable } from "./process-family.ts";
import type { StdioOptions } from "./stdio-transport.ts";

/** Options for starting a program. */
export interface ProgramOptions extends Omit<StdioOptions, "program"> {
  readonly address: McpStdioAddress;
  readonly files: ChildFiles;
  /** Our own environment; a program gets only a few variables of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Environment variables that every program inherits; all others come from the settings. */
const inherited: readonly string[] = (
  "PATH HOME USER LOGNAME SHELL TMPDIR TEMP TMP TZ LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES " +
  "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME " +
  // Windows cannot start a program without these.
  "SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA USERPROFILE"
).split(" ");

/** Variables that a network may need: proxies, certificates, registries. Names of any case. */
const networkVariables =
  /^(?:(?:https?|no|all)_proxy|node_extra_ca_certs|node_use_system_ca|ssl_cert_(?:file|dir)|(?:requests|curl)_ca_bundle|npm_config_.+|(?:uv|pip)_(?:default_index|index|index_url|extra_index_url|cert|native_tls|system_certs|trusted_host|proxy))$/i;

/** Settings of npm that describe the process that runs us, and no other. */
const ofThisProcess = /^npm_config_(?:local_prefix|prefix|global_prefix|user_agent|node_gyp|init_|argv)/i;

/** Credentials reach a server only through its entry: the package runner would pass them on to it. */
const credentials = /auth|token|passw|secret|(?:^|_)(?:key|otp|username)$/i;

/** Running programs, which are ended with this process if it can still do so. */
const running = new Set<ProcessFamily>();
const endAll = (): void => {
  for (const family of running) signalFamily(family, "SIGTERM");
};

type Pipes = ChildProcessByStdio<Writable, Readable, Readable>;

/** A server's program, in its own process group, until all its descendants have ended. */
export class Program {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly pid: number;
  /** Describes how the program ended. */
  readonly exited: Promise<string>;
  /** Resolves when all its descendants have ended and its file is removed. */
  readonly gone: Promise<void>;
  readonly #child: Pipes;
  readonly #stderr: LogLines;
  readonly #options: ProgramOptions;
  readonly #family: ProcessFamily;
  #ended = false;
  #ending: Promise<void> | undefined;

  /** Starts it. The file is written before anything else can happen. */
  static async start(options: ProgramOptions): Promise<Program> {
    const { address, files, server } = options;
    const mark = files.newMark();
    const child: Pipes = spawn(address.command, address.args, {
      cwd: address.cwd,
      env: { ...inheritedFrom(options.env, address), ...address.env, [markVariable]: mark },
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
    // Broken pipes are reported as the end of the program.
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

  /** The last lines of its log, to be appended to a failure. */
  lastLines(): string {
    const lines = this.#stderr.last();
    return lines.length === 0 ? "" : `; it wrote: ${lines.join(" | ").slice(-1_000)}`;
  }

  /** Sets whether it keeps this process alive. While it ends, it always does. */
  hold(alive: boolean): void {
    if (this.#ending === undefined) this.#hold(alive);
  }

  #hold(alive: boolean): void {
    // Pipes are sockets, contrary to their types.
    for (const part of [this.#child, this.stdin, this.stdout, this.#child.stderr] as { ref?(): void; unref?(): void }[])
      if (alive) part.ref?.();
      else part.unref?.();
  }

  /** Ends it: closes its stdin, then sends SIGTERM to it and its descendants, then SIGKILL. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#hold(true);
    this.stdin.end();
    const { limits, clock } = this.#options;
    if (!this.#ended && !(await settlesWithin(this.exited, limits.endMs, clock))) {
      await endFamily(this.#family, limits.endMs, clock);
    }
    await this.gone;
  }

  /** Its first process may end before its descendants. */
  async #untilGone(file: ChildFile): Promise<void> {
    await this.exited;
    const { limits, clock, log, server } = this.#options;
    const gone = await endFamily(this.#family, limits.endMs, clock);
    running.delete(this.#family);
    if (running.size === 0) process.off("exit", endAll);
    // Another process may still hold its output open; that is not our concern.
    for (const stream of [this.stdin, this.stdout, this.#child.stderr]) stream.destroy();
    if (gone) file.remove();
    else log(`programs of the MCP server "${server}" (group ${this.pid}) cannot be ended`);
  }
}

function inheritedFrom(env: ProgramOptions["env"], { command, args }: McpStdioAddress): Record<string, string> {
  const network = fetchesPackage(command, args) ? networkIn(env).filter((name) => !credentials.test(name)) : [];
  const variables: Record<string, string> = {};
  for (const name of [...inherited, ...network]) {
    const value = env[name];
    // Old shells parse such values as functions.
    if (value !== undefined && !value.startsWith("()")) variables[name] = value;
  }
  return variables;
}

/** Names the variables that a program did not get and may need to reach the network; empty if there are none. */
export function withheldHint({ env, address }: Pick<ProgramOptions, "env" | "address">): string {
  const passed = { ...inheritedFrom(env, address), ...address.env };
  const withheld = networkIn(env).filter((name) => !Object.hasOwn(passed, name));
  if (withheld.length === 0) return "";
  return `; it did not get ${withheld.toSorted().join(", ")}: if it needs them, add them to "env" of its entry`;
}

function networkIn(env: ProgramOptions["env"]): string[] {
  return Object.keys(env).filter((name) => networkVariables.test(name) && !ofThisProcess.test(name));
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

function why({ code, message }: NodeJS.ErrnoException, { command, cwd }: McpStdioAddress): string {
  if (code === "ENOENT" && !existsSync(cwd)) return `its folder ${cwd} does not exist`;
  if (code === "ENOENT") return `the program ${JSON.stringify(command)} is not found; check "command" and the PATH`;
  if (code === "EACCES") return `${JSON.stringify(command)} may not be executed`;
  return message;
}
