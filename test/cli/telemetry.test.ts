import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { folder, printedBy, windlass } from "./windlass.ts";

const workspace = { "windlass.yaml": "telemetry: { enabled: true }\n" };

/** Registers an SDK that sends spans in batches, and only on flush: at the end of a short process. */
const tracing = `
  import { createRequire } from "node:module";
  const require = createRequire(${JSON.stringify(pathToFileURL(`${process.cwd()}/package.json`).href)});
  const { trace } = require("@opentelemetry/api");
  const { BasicTracerProvider, BatchSpanProcessor } = require("@opentelemetry/sdk-trace-base");
  const exporter = {
    export: (spans, done) => {
      for (const { name } of spans) console.error("span: " + name);
      done({ code: 0 });
    },
    shutdown: () => Promise.resolve(),
  };
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }));
`;

describe("telemetry in the terminal", () => {
  test("doctor reports that no SDK is registered, and nothing if telemetry is disabled", async () => {
    const found = async (files: Readonly<Record<string, string>>): Promise<unknown[]> => {
      const run = await windlass(["doctor", "--json"], { cwd: await folder(files) });
      const { findings } = printedBy(run) as { findings: { about: string }[] };
      return findings.filter(({ about }) => about === "telemetry");
    };
    expect(await found(workspace)).toMatchObject([
      { status: "warn", todo: expect.stringContaining("--import") as string },
    ]);
    expect(await found({})).toEqual([]);
  });

  test("a command sends its spans before it ends", async () => {
    const cwd = await folder({ ...workspace, "tracing.mjs": tracing });
    const options = { cwd, nodeArgs: ["--import", "./tracing.mjs"] };
    const run = await windlass(["call", "calculator", "expression=6*7"], options);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("42") as string });
    expect(run.stderr).toContain("span: execute_tool calculator\n");
  });
});
