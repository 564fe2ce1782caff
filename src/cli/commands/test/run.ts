import { cliCommand } from "../../../base/index.ts";
import { toRunCassette, replayChain } from "../../../testing/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { withInspectedRun } from "../../run-kinds/run-kind.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { logWrapped } from "../../terminal/log-wrapped.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { UsageError } from "../../program/usage-error.ts";

/** `windlass test`. */
export const testChain: RunCommand = (invocation) => {
  const id = invocation.text("replay");
  if (id === undefined) throw new UsageError("--replay RUN is required", `list runs with: ${cliCommand("runs")}`);
  return withInspectedRun(
    invocation,
    async ({ workspace }) => {
      const { terminal } = invocation;
      const [file = ""] = invocation.words;
      const { redactor } = workspace.engine;
      const plan = await workspace.loadChain(file);
      // The run used the chain as it was then; the file may have changed since.
      const recorded = await workspace.runs.inspect(id);
      const cassette = await toRunCassette(await workspace.runs.read(id), { plan: recorded.plan, redactor });
      const { same, difference, run } = await replayChain(plan, cassette, { redactor });
      if (invocation.flag("json")) terminal.print(safeJson({ same, ...(difference !== undefined && { difference }) }));
      if (same) {
        const calls = formatCount(cassette.calls.length, "call");
        const report = `${terminal.tint("green", "✓")} same as run ${id}: ${calls}, status ${run.status}`;
        if (!invocation.flag("json")) terminal.log(report);
        return exitCodes.ok;
      }
      const message = stripUnsafe(difference?.message ?? "it took a different path");
      logWrapped(`differs from run ${id}: ${message}`, terminal, { lead: `${terminal.tint("red", "✗")} ` });
      return exitCodes.failed;
    },
    id,
  );
};
