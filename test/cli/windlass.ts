import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, vi } from "vitest";

// Every step is a process of its own, and other tests want the processors too.
vi.setConfig({ testTimeout: 60_000 });

const main = resolve(import.meta.dirname, "../../src/cli/main.ts");

/** Where Node keeps what it compiled, also for threads: a hundred starts then take half the time. */
const compileCache = join(tmpdir(), "node-compile-cache");

/** What tells Node, or the program, that a terminal is not what it seems: colours, CI services, other terminals. */
const telling = /^(?:FORCE_COLOR|NO_COLOR|NODE_DISABLE_COLORS|COLORTERM|CI|TF_BUILD|TEAMCITY_VERSION|TMUX|TERM_.*)$/;

/** Settings and keys that whoever runs the tests may have; `NODE_OPTIONS` and the rest keep it to loopback. */
const settings = /^WINDLASS_(?!TEST_)|_API_KEY$/;

/** The environment of the program, whatever that of the tests is. */
export const environment: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !telling.test(name) && !settings.test(name))),
  NODE_COMPILE_CACHE: compileCache,
  TERM: "xterm-256color",
};

/** What became of one run of the program. */
export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How the program is run. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sent to stdin, which is closed behind it. */
  readonly input?: string;
  /** Called with everything on stderr so far, whenever there is more. */
  readonly onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** Called when the program has started. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Flags for Node itself. */
  readonly nodeArgs?: readonly string[];
}

/** Runs the real program from its source, in a process of its own. */
export function windlass(words: readonly string[], options: RunOptions): Promise<Run> {
  const { cwd, env = {}, input = "", onStderr, onStart, nodeArgs = [] } = options;
  const child = spawn(process.execPath, [...nodeArgs, main, ...words], { cwd, env: { ...environment, ...env } });
  child.on("spawn", () => onStart?.((signal) => child.kill(signal)));
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    onStderr?.(stderr, (signal) => child.kill(signal));
  });
  child.stdin.on("error", () => {}).end(input);
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code, signal) => done({ code, signal, stdout, stderr }));
  });
}

/** What a run printed, which has to be JSON; where it is none, what the run told instead. */
export function printedBy({ stdout, stderr }: Run): unknown {
  if (stdout.startsWith("{")) return JSON.parse(stdout);
  throw new Error(`nothing was printed as JSON: ${stdout}${stderr}`);
}

/** The command line that runs the program, for tests that need a shell around it. */
export const shellCommand = `"${process.execPath}" "${main}"`;

let base: Promise<string> | undefined;
let count = 0;

afterAll(async () => {
  if (base !== undefined) await rm(await base, { recursive: true, force: true });
});

/** A new folder with these files. All folders go when the file's tests are done, so that they can run side by side. */
export async function folder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  base ??= mkdtemp(join(tmpdir(), "windlass-cli-"));
  const dir = join(await base, String(++count));
  await mkdir(dir);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

/** A tool file whose work is done by the default export of a module, and that module. */
export function codeTool(name: string, body: string, more = ""): Record<string, string> {
  return {
    [`tools/${name}.yaml`]: `name: ${name}\ndescription: For tests.\n${more}\nentry: { type: custom, module: ./${name}.ts }\n`,
    [`tools/${name}.ts`]: body,
  };
}
