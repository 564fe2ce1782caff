/**
 * Run by `test/large-results.slow.test.ts` in a process with a small heap: 400 calls with results of 7 MB, with the
 * store named by the first argument. Prints what the records hold.
 */
import { createEngine } from "../../src/engine/index.ts";
import { openSqlite } from "../../src/adapters/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { fromJsonSchema } from "../../src/schema/index.ts";
import { defineTool } from "../../src/tool/index.ts";

const [, , kind = "memory", file = ""] = process.argv;
const bytes = Buffer.alloc(7_000_000, "windlass ");
const large = defineTool({
  name: "large",
  description: "Returns 7 MB.",
  effect: "read",
  input: fromJsonSchema<{ n: number }>({ type: "object", properties: { n: { type: "number" } } }),
  run: ({ n }) => ({ n, text: bytes.toString("latin1") }),
});

const sqlite = kind === "sqlite" ? await openSqlite({ file, redactor: createRedactor([]) }) : undefined;
const engine = createEngine({ tools: [large], ...(sqlite !== undefined && { records: sqlite.records }) });
let succeeded = 0;
for (let n = 0; n < 400; n++) {
  const result = await engine.call(large, { n });
  if (result.success) succeeded++;
}
const { records } = await engine.queryRecords({ limit: 1 });
const { totalCalls } = await engine.callStatistics();
await engine.close();
await sqlite?.close();
console.log(JSON.stringify({ succeeded, totalCalls, output: records[0]?.output }));
