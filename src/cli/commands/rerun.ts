import type { RunCommand } from "../command-spec.ts";
import { confirmRerun } from "../confirm-rerun.ts";
import { withRun } from "../find-run.ts";
import { followRun, noticesOf, withRuns } from "../run-session.ts";
import { tellRun } from "../tell-run.ts";
import { tellUnguarded } from "../tell-unguarded.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass rerun`. */
export const rerunChain: RunCommand = (invocation) => {
  const from = invocation.text("from");
  if (from === undefined && invocation.flag("yes"))
    throw new UsageError("--yes is about --from STEP, which is missing");
  return withRuns(invocation, async (session) => {
    const [id = ""] = invocation.words;
    const { runs } = session.workspace;
    tellUnguarded(session.workspace, invocation);
    const onNotice = noticesOf(invocation);
    const result = await withRun(runs, { id, invocation }, async () => {
      if (from !== undefined) {
        const { signal } = session.interrupts;
        const preview = await runs.previewRerun(id, from, { onNotice });
        await confirmRerun(preview, { runId: id, from, invocation, signal });
      }
      return followRun(session, { durable: true }, (how) =>
        runs.rerun(id, { ...how, onNotice, ...(from !== undefined && { from }) }),
      );
    });
    return tellRun(result, session, { durable: true });
  });
};
