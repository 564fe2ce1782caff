import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, vi } from "vitest";

// Every step is a process of its own, and other tests use the processors too.
vi.setConfig({ testTimeout: 60_000 });

/** The built program: it starts four times as fast as from source. `npm test` builds it first. */
export const builtProgram: string = resolve(import.meta.dirname, "../../dist/bin.js");

/** The program from source, for tests of which modules it loads. */
const sourceMain = resolve(import.meta.dirname, "../../src/cli/main.ts");

/** Folder of Node's compile cache, also for threads: a hundred starts then take half the time. */
const compileCache = join(tmpdir(), "node-compile-cache");

/** Variables that influence colors and terminal detection of Node or the program. */
const reporting = /^(?:FORCE_COLOR|NO_COLOR|NODE_DISABLE_COLORS|COLORTERM|CI|TF_BUILD|TEAMCITY_VERSION|TMUX|TERM_.*)$/;

/** Settings and keys in the environment of the tests; `NODE_OPTIONS` and the rest restrict it to loopback. */
const settings = /^WINDLASS_(?!TEST_)|_API_KEY$/;

/** The environment of the program, independent of that of the tests. */
export const environment: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !reporting.test(name) && !settings.test(name))),
  NODE_COMPILE_CACHE: compileCache,
  TERM: "xterm-256color",
  // The workspaces of the tests are trusted, except by the tests of trust; those of the user are not touched.
  WINDLASS_TRUST: "1",
  XDG_CONFIG_HOME: join(tmpdir(), `windlass-config-${process.pid}`),
};

/** Result of one run of the program. */
export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of a run of the program. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sent to stdin, which is then closed. */
  readonly input?: string;
  /** Called with all of stderr so far, whenever there is more. */
  readonly onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** Called when the program has started. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Flags for Node itself. */
  readonly nodeArgs?: readonly string[];
  /** User that the program runs as; only root can set it. */
  readonly uid?: number;
  /** Runs src/cli/main.ts instead of the built program. */
  readonly fromSource?: boolean;
}

/** Runs the program in a process of its own. */
export function windlass(words: readonly string[], options: RunOptions): Promise<Run> {
  const { cwd, env = {}, input = "", onStderr, onStart, nodeArgs = [], fromSource = false, uid } = options;
  const program = fromSource ? sourceMain : builtProgram;
  const child = spawn(process.execPath, [...nodeArgs, program, ...words], {
    cwd,
    env: { ...environment, ...env },
    ...(uid !== undefined && { uid }),
  });
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

/** Parses the JSON output of a run; throws with the output if it is not JSON. */
export function printedBy({ stdout, stderr }: Run): unknown {
  if (stdout.startsWith("{")) return JSON.parse(stdout);
  throw new Error(`nothing was printed as JSON: ${stdout}${stderr}`);
}

/** The command that runs the program, for tests that need a shell around it. */
export const shellCommand = `"${process.execPath}" "${builtProgram}"`;

let base: Promise<string> | undefined;
let count = 0;

afterAll(async () => {
  if (base !== undefined) await rm(await base, { recursive: true, force: true });
  await rm(environment["XDG_CONFIG_HOME"] ?? "", { recursive: true, force: true });
});

/** Code of a workspace is loaded only if it has settings. */
const code = /^(?:tools|skills)\/.*\.(?:ts|mts|js|mjs)$/;

/**
 * A new folder with these files, and with settings if code is among them. All folders are removed at the end of the test file, so that tests can run
 * concurrently.
 */
export async function folder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  base ??= mkdtemp(join(tmpdir(), "windlass-cli-"));
  const dir = join(await base, String(++count));
  await mkdir(dir);
  const settings = Object.keys(files).some((name) => code.test(name)) ? { "windlass.yaml": "" } : {};
  for (const [name, text] of Object.entries({ ...settings, ...files })) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

/** A tool file that is implemented by the default export of a module, and that module. */
export function codeTool(name: string, body: string, more = ""): Record<string, string> {
  return {
    [`tools/${name}.yaml`]: `name: ${name}\ndescription: For tests.\n${more}\nentry: { type: custom, module: ./${name}.ts }\n`,
    [`tools/${name}.ts`]: body,
  };
}
