import { resolve } from "node:path";
import { stat } from "node:fs/promises";
import { fail } from "../../../base/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatBytes } from "../../terminal/format-figures.ts";
import { withWritableJournal } from "../../open/open-journal.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { relativeToCwd } from "../../terminal/report-problems.ts";

/** `windlass backup`. */
export const backupDatabase: RunCommand = (invocation) =>
  withWritableJournal(async ({ store }) => {
    const { terminal, words } = invocation;
    const file = resolve(words[0] ?? "");
    if (store === undefined) throw fail("no database yet: nothing has been recorded", { code: "store_failed" });
    await store.backup(file);
    const { size } = await stat(file);
    if (invocation.flag("json")) terminal.print(safeJson({ file, bytes: size }));
    else terminal.print(`${relativeToCwd(file)}, ${formatBytes(size)}`);
  });
