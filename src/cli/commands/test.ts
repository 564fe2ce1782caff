import { cassetteOf, replay } from "../../chain/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatCount } from "../format-figures.ts";
import { withPastRun } from "../past-run.ts";
import { stripUnsafe } from "../../text/index.ts";
import { safeJson } from "../safe-json.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass test`. */
export const testChain: RunCommand = (invocation) => {
  const id = invocation.text("replay");
  if (id === undefined) throw new UsageError("--replay RUN is missing", "windlass runs lists the runs");
  return withPastRun(
    invocation,
    async ({ workspace, result: recorded }) => {
      const { terminal } = invocation;
      const [file = ""] = invocation.words;
      const { redactor } = workspace.engine;
      const plan = await workspace.loadChain(file);
      // The run followed its chain as it was then; the file may be another by now.
      const cassette = await cassetteOf(await workspace.runs.read(id), { plan: recorded.plan, redactor });
      const { same, difference, run } = await replay(plan, cassette, { redactor });
      if (invocation.flag("json")) terminal.print(safeJson({ same, ...(difference !== undefined && { difference }) }));
      if (same) {
        const calls = formatCount(cassette.calls.length, "call");
        const told = `${terminal.tint("green", "✓")} same as run ${id}: ${calls}, status ${run.status}`;
        if (!invocation.flag("json")) terminal.tell(told);
        return exitCodes.ok;
      }
      const message = stripUnsafe(difference?.message ?? "it went another way");
      terminal.tell(`${terminal.tint("red", "✗")} differs from run ${id}: ${message}`);
      return exitCodes.failed;
    },
    { id },
  );
};
