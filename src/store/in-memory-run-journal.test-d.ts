import { expectTypeOf } from "vitest";
import type { createInMemoryRunJournal } from "./index.ts";

// Without the store of approvals, no decision would wake a run.
expectTypeOf<{ finished: number }>().not.toExtend<Parameters<typeof createInMemoryRunJournal>[0]>();
expectTypeOf<undefined>().not.toExtend<Parameters<typeof createInMemoryRunJournal>[0]>();
