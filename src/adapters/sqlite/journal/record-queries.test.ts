import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { migrate } from "./migrate.ts";
import { readPage } from "./record-queries.ts";
import type { PageQueryRow } from "../thread/worker-ops.ts";

/** The query plans of SQLite for the statements that read a page. */
function planOf(filter: Omit<PageQueryRow, "limit" | "after">, after?: PageQueryRow["after"]): string {
  const db = new DatabaseSync(":memory:");
  migrate(db, "memory");
  const plans: string[] = [];
  const spy = new Proxy(db, {
    get(target, key) {
      if (key !== "prepare") return Reflect.get(target, key);
      return (sql: string) => {
        const rows = target
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...Array.from({ length: sql.split("?").length - 1 }, () => 1));
        plans.push(...rows.map((row) => String(row["detail"])));
        return target.prepare(sql);
      };
    },
  });
  readPage(spy, { ...filter, limit: 10, after });
  return plans.join("; ");
}

test.each([
  [{}, "records_time"],
  [{ since: 1, until: 5 }, "records_time (created_at>? AND created_at<?)"],
  [{ tool: "t" }, "records_tool (tool=?)"],
  [{ tool: "t", since: 1 }, "records_tool (tool=? AND created_at>?)"],
  [{ conversationId: "c", tool: "t", callerType: "direct" }, "records_conversation (conversation_id=?)"],
  [{ callerId: "c", tool: "t", status: "failure" }, "records_caller (caller_id=?)"],
  [{ callerType: "direct", status: "success" }, "records_caller_type (caller_type=?)"],
  [{ status: "failure" }, "records_failure"],
  [{ code: "timeout", since: 1 }, "records_failure (created_at>?)"],
] as const)("a page by %o is read from one index, in its order", (filter, index) => {
  for (const after of [undefined, { createdAt: 3, number: 4 }]) {
    const plan = planOf(filter, after);
    expect(plan).toContain(index.split(" ")[0]);
    expect(plan).not.toMatch(/TEMP B-TREE|SCAN records$/);
  }
  expect(planOf(filter)).toContain(index);
});
