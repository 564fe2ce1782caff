import { resolve } from "node:path";
import { stat } from "node:fs/promises";
import { fail } from "../../base/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { formatBytes } from "../format-figures.ts";
import { withJournal } from "../open-journal.ts";
import { safeJson } from "../safe-json.ts";
import { fromHere } from "../tell-problems.ts";

/** `windlass backup`. */
export const backupDatabase: RunCommand = (invocation) =>
  withJournal(async ({ store }) => {
    const { terminal, words } = invocation;
    const file = resolve(words[0] ?? "");
    if (store === undefined)
      throw fail("there is no database here yet: nothing was recorded", { code: "store_failed" });
    await store.backup(file);
    const { size } = await stat(file);
    if (invocation.flag("json")) terminal.print(safeJson({ file, bytes: size }));
    else terminal.print(`${fromHere(file)}, ${formatBytes(size)}`);
  });
