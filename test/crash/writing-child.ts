// Writes records until it is killed, or up to the given number. Prints the number of flushed records, a line each time.
import { writeSync } from "node:fs";
import { openSqlite } from "../../src/adapters/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { sampleRecord } from "../conformance/sample-record.ts";

const [file = "", name = "", count = "Infinity"] = process.argv.slice(2);
const store = await openSqlite({ file, redactor: createRedactor([]) });
let written = 0;
while (written < Number(count)) {
  const batch = Math.min(1 + ((written * 7919) % 97), Number(count) - written);
  for (let i = 0; i < batch; i++) {
    store.records.add(sampleRecord({ id: `${name}-${++written}`, output: "x".repeat((written * 31) % 2000) }));
    // Some arrive in the same turn, some in later ones.
    if (i % 10 === 9) await new Promise(setImmediate);
  }
  await store.records.flush();
  writeSync(1, `${written}\n`);
}
await store.close();
