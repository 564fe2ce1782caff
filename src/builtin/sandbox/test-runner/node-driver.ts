import { ownFolder } from "../bubblewrap-arguments.ts";
import type { SandboxFile } from "../run-sandboxed.ts";
import type { TestProject } from "./test-project.ts";

/** How to run the tests of a project, and what that needs. */
export interface Driver {
  readonly command: readonly string[];
  readonly ownFiles: readonly SandboxFile[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a driver is told. */
export interface DriverOptions {
  readonly coverage: boolean;
  readonly timeMs: number;
  readonly memoryBytes: number;
}

/**
 * Runs inside the sandbox: tells each test as a line of JSON. A file is itself told as a test of its name when it holds
 * none or breaks; the first is no test, the second is one that failed, for the reason that it printed.
 */
const reporter = `
const printed = new Map();
const tell = (event) => JSON.stringify(event) + "\\n";
const message = (error) => String(error?.cause?.stack ?? error?.cause?.message ?? error?.cause ?? error?.message ?? error);
export default async function* (source) {
  for await (const { type, data } of source) {
    if (type === "test:stdout" || type === "test:stderr") {
      if (type === "test:stderr") printed.set(data.file, ((printed.get(data.file) ?? "") + data.message).slice(-4000));
      yield tell({ kind: "output", text: data.message });
    } else if (type === "test:coverage") {
      yield tell({ kind: "coverage", lines: data.summary.totals.coveredLinePercent });
    } else if ((type === "test:pass" || type === "test:fail") && data.details?.type !== "suite") {
      const { name, details } = data;
      const isFile = data.nesting === 0 && data.file?.endsWith("/" + name) === true;
      if (isFile && type === "test:pass") continue;
      if (data.skip || data.todo) yield tell({ kind: "test", status: "skipped", name });
      else if (type === "test:pass") yield tell({ kind: "test", status: "passed", name });
      else if (details.error?.failureType !== "subtestsFailed") {
        const why = isFile ? (printed.get(name) ?? message(details.error)) : message(details.error);
        yield tell({ kind: "test", status: "failed", name, message: why });
      }
    }
  }
  yield tell({ kind: "end" });
}
`;

/** Runs inside the sandbox: finds \`./main\` and \`./main.js\` where there is a main.ts, as bundlers do. */
const resolver = `
import { registerHooks } from "node:module";
const endings = [".ts", ".js", ".mjs", ".cjs", ".mts", ".cts", ".json", "/index.ts", "/index.js"];
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!/^\\.{1,2}\\//.test(specifier)) throw error;
      const bare = specifier.replace(/\\.([cm]?)js$/, "");
      for (const base of new Set([specifier, bare])) {
        for (const ending of endings) {
          try {
            return next(base + ending, context);
          } catch {}
        }
      }
      throw error;
    }
  },
});
`;

/** Tests in JavaScript and TypeScript, with the test runner of Node. */
export function nodeDriver({ tests, files }: TestProject, { coverage, timeMs, memoryBytes }: DriverOptions): Driver {
  const heap = Math.floor((memoryBytes / 1_048_576) * 0.6);
  // A test that waits for something that never comes is named; one that never yields ends with the sandbox.
  const testTimeout = Math.max(1000, Math.floor(timeMs * 0.8));
  const measured = coverage
    ? [
        "--experimental-test-coverage",
        `--test-coverage-exclude=${ownFolder}/**`,
        ...tests.map((path) => `--test-coverage-exclude=${path}`),
        ...(tests.length === files.length ? [] : ["--test-coverage-exclude=**/*.{test,spec}.*"]),
      ]
    : [];
  return {
    command: [
      "node",
      "--no-warnings",
      "--experimental-transform-types",
      `--import=${ownFolder}/resolver.mjs`,
      "--test",
      "--test-force-exit",
      `--test-timeout=${testTimeout}`,
      `--test-reporter=${ownFolder}/reporter.mjs`,
      "--test-reporter-destination=stdout",
      ...measured,
      "--",
      ...tests,
    ],
    ownFiles: [
      { path: "reporter.mjs", content: reporter },
      { path: "resolver.mjs", content: resolver },
    ],
    env: { NODE_OPTIONS: `--max-old-space-size=${heap}`, FORCE_COLOR: "0" },
  };
}
