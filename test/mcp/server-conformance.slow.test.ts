import { expect, test } from "vitest";
import { runServerSuite } from "./run-conformance.ts";

test.each(["2025-11-25", "2026-07-28"])(
  "the conformance suite passes for the server of %s, except for the baseline",
  async (revision) => {
    const [run] = await runServerSuite([revision]);
    expect(run?.output).toContain("Baseline check passed");
    expect(run).toMatchObject({ code: 0 });
  },
  120_000,
);
