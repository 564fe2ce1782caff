import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Interface, createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Executed, LabMachine, RunLab } from "./run-lab.ts";
import type { ScenarioName } from "./run-scenarios.ts";

const program = join(import.meta.dirname, "process-lab-child.ts");

/** A request to a child process: execute this run, and kill yourself before this commit. */
export interface ExecuteRequest {
  readonly scenario: ScenarioName;
  readonly runId: string;
  readonly killBefore?: number | undefined;
}

/** A process that executes one run after the other. */
class Child {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  /** @param portsModule Exports `open(folder)`, which opens the ports of a machine. */
  constructor(portsModule: string, folder: string) {
    const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") };
    const args = ["--no-warnings", program, portsModule, folder];
    this.#process = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env });
    this.#lines = createInterface({ input: this.#process.stdout });
    // A request to a process that was killed in the meantime is answered by its end.
    this.#process.stdin.on("error", () => {});
  }

  /** Undefined if the process was killed. */
  execute(request: ExecuteRequest): Promise<Executed | undefined> {
    return new Promise((resolve, reject) => {
      const exited = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (signal === "SIGKILL") resolve(undefined);
        else reject(new Error(`the child process exited with ${code ?? signal}`));
      };
      this.#process.once("close", exited);
      this.#lines.once("line", (line) => {
        this.#process.off("close", exited);
        resolve(JSON.parse(line) as Executed);
      });
      this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  end(): void {
    this.#process.kill("SIGKILL");
  }
}

/** Executes runs in child processes that end with SIGKILL. The ports are those that a module opens in a folder. */
export function processLab(name: string, portsModule: string): RunLab {
  return {
    name,
    async open(scenario): Promise<LabMachine> {
      const folder = mkdtempSync(join(tmpdir(), "windlass-lab-"));
      let current: Child | undefined;
      // Starts while another one works.
      let next = new Child(portsModule, folder);
      const take = (): Child => {
        const child = next;
        next = new Child(portsModule, folder);
        return child;
      };
      return {
        async execute(runId, killBefore) {
          current ??= take();
          const executed = await current.execute({ scenario, runId, killBefore });
          if (executed === undefined) current = undefined;
          return executed;
        },
        noted(runId) {
          const file = notesOf(folder, runId);
          return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
        },
        async close() {
          current?.end();
          next.end();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

/** The file with the actions of the tools of a run. */
export function notesOf(folder: string, runId: string): string {
  return join(folder, `${runId}.log`);
}
