import { describe, expect, test } from "vitest";
import { mailChain, tracingTools } from "./chain-workspace.ts";
import { folder, printedBy, windlass } from "./windlass.ts";

const chains = {
  "chains/together.yaml": `name: together
description: Reads three times at once
steps:
${["a", "b", "c"].map((id) => `  - { id: ${id}, tool: read, params: { ms: 500 } }`).join("\n")}
`,
  "chains/recovers.yaml": `name: recovers
description: Reads if a tool fails
steps:
  - id: first
    tool: fails
    error_handling: { strategy: fallback, fallback: [{ tool: read, params: {} }] }
`,
  "chains/breaks.yaml": `name: breaks
description: Fails
steps:
  - { id: first, tool: read, params: {} }
  - { id: second, tool: fails, depends_on: [first] }
`,
  "chains/mail.yaml": mailChain,
};

interface Compared {
  readonly value?: number;
  readonly target: number;
  readonly result: string;
  readonly runs: number;
}

interface ChainStatistics {
  readonly chain: string;
  readonly runs: number;
  readonly metrics: Readonly<Record<string, Compared>>;
}

interface Printed {
  readonly chains: readonly ChainStatistics[];
  readonly all: ChainStatistics;
}

/** Runs the program in a new workspace with these settings. */
async function workspaceWith(settings: string): Promise<(...words: string[]) => ReturnType<typeof windlass>> {
  const cwd = await folder({ ...tracingTools, ...chains, "windlass.yaml": settings });
  return (...words) => windlass(words, { cwd });
}

async function statisticsOf(run: Awaited<ReturnType<typeof workspaceWith>>, ...words: string[]): Promise<Printed> {
  return printedBy(await run("stats", "--chains", "--json", ...words)) as Printed;
}

const resultsOf = ({ metrics }: ChainStatistics) =>
  Object.fromEntries(Object.entries(metrics).map(([name, { result, runs }]) => [name, `${result} ${runs}`]));

describe.concurrent("windlass stats --chains", () => {
  test("[H24] compares the metrics of runs with the targets of the specification", async () => {
    const run = await workspaceWith("");
    expect(await run("stats", "--chains")).toMatchObject({ code: 0, stdout: "", stderr: "No runs yet.\n" });
    for (const chain of ["together", "recovers", "breaks"]) await run("run", chain);
    const { chains: found, all } = await statisticsOf(run);
    expect(found.map(({ chain, runs }) => [chain, runs])).toEqual([
      ["breaks", 1],
      ["recovers", 1],
      ["together", 1],
    ]);
    const targets = Object.fromEntries(Object.entries(all.metrics).map(([name, { target }]) => [name, target]));
    expect(targets).toEqual({
      duration_p95_ms: 30_000,
      parallel_speedup: 2,
      recovery_rate: 0.8,
      cpu_utilisation: 0.6,
      memory_utilisation: 0.6,
    });
    expect(all).toMatchObject({
      runs: 3,
      successful_runs: 2,
      failed_runs: 1,
      cancelled_runs: 0,
      p50_ms: expect.any(Number),
    });
    expect(all.metrics).toMatchObject({
      duration_p95_ms: { result: "met", runs: 3 },
      parallel_speedup: { runs: 1 },
      recovery_rate: { value: 0.5, result: "missed", runs: 2 },
      cpu_utilisation: { value: expect.any(Number), runs: 3 },
      memory_utilisation: { value: expect.any(Number), runs: 3 },
    });
    const [breaks, recovers, together] = found.map(resultsOf);
    expect(breaks).toMatchObject({ parallel_speedup: "no_data 0", recovery_rate: "missed 1" });
    expect(recovers).toMatchObject({ parallel_speedup: "no_data 0", recovery_rate: "met 1" });
    expect(together).toMatchObject({ recovery_rate: "no_data 0" });
    // The calls take 1.5 s together; how far they overlap depends on the load of the machine.
    expect(found[2]?.metrics["parallel_speedup"]?.value).toBeGreaterThan(1);
    expect((await statisticsOf(run, "--until", "1d")).chains).toEqual([]);
  });

  test("[H24] takes targets from the settings and marks each value in a table", async () => {
    const run = await workspaceWith(
      "chains: { targets: { duration: 0.001, parallel_speedup: 1.01, recovery_rate: 0.4, memory_utilisation: 0 } }",
    );
    for (const chain of ["together", "recovers", "breaks"]) await run("run", chain);
    const { stdout } = await run("stats", "--chains");
    const line = (start: string) => stdout.split("\n").find((each) => each.startsWith(start)) ?? "";
    expect(line("CHAIN")).toMatch(/^CHAIN +RUNS +SUCCESS +P50 +P95 +SPEED-UP +RECOVERED +CPU +MEMORY$/);
    expect(line("together")).toMatch(/^together +1 +100 % +\S+ m?s +\S+ m?s ✗ +\S+× ✓ +- +\S+ % [✓✗] +\S+ % ✓$/);
    expect(line("breaks")).toMatch(/^breaks +1 +0 % .* ✗ +- +0 % ✗ +\S+ % [✓✗] +\S+ % ✓$/);
    expect(line("all chains")).toMatch(/^all chains +3 +66\.6 % .* ✗ +\S+× ✓ +50 % ✓ +\S+ % [✓✗] +\S+ % ✓$/);
    expect(line("target")).toMatch(/^target +< 1 ms +> 1\.01× +> 40 % +> 60 % +> 0 %$/);
    expect(stdout).toContain("✓ meets the target, ✗ misses it, - no data");
  });

  test("[H24] counts a run once it has ended, and no rerun; a resumed run has no speed-up and no use of resources", async () => {
    const run = await workspaceWith("");
    await run("run", "mail", "to=ada", "--run-id", "waits");
    expect((await statisticsOf(run)).chains).toEqual([]);
    expect((await run("approve", "waits")).code).toBe(0);
    expect((await run("rerun", "waits", "--from", "prepare")).code).toBe(3);
    await run("approve", "last");
    const { chains: found } = await statisticsOf(run);
    expect(found.map(({ chain, runs }) => [chain, runs])).toEqual([["mail", 1]]);
    expect(found.map(resultsOf)).toEqual([
      {
        duration_p95_ms: expect.stringMatching(/ 1$/),
        parallel_speedup: "no_data 0",
        recovery_rate: "no_data 0",
        cpu_utilisation: "no_data 0",
        memory_utilisation: "no_data 0",
      },
    ]);
  });

  test("[H24] a wrong target and --tool are errors that say what to change", async () => {
    const run = await workspaceWith("chains:\n  targets: { recovery_rate: 80 }\n");
    const { code, stderr } = await run("stats", "--chains");
    expect(code).toBe(2);
    expect(stderr).toContain('windlass.yaml:2:29: error: "recovery_rate" must be below 1, got 80');
    const both = await run("stats", "--chains", "--tool", "read");
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("--tool and --chains") });
  });
});
