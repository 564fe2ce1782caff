import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../secrets/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../store/index.ts";
import { SealedJournal } from "./sealed-journal.ts";

const secret = "correct-horse-battery";

/** A journal with these known secrets, and the input of a run of a chain that uses the secret KEY, stored and opened again. */
function stored(known: readonly string[]) {
  const secrets = { get: (name: string) => (name === "KEY" ? known[0] : undefined), has: () => true };
  const journal = new SealedJournal(createInMemoryRunJournal({ approvals: createInMemoryApprovals() }), {
    secrets,
    redactor: createRedactor(known),
  });
  return (input: unknown): unknown => {
    const run = {
      id: "r",
      kind: "chain",
      name: "c",
      definition: "${secret.KEY}",
      input: JSON.stringify(input),
      context: "{}",
      format: 1,
      fingerprints: "{}",
      startedAt: 0,
      status: "waiting",
      cancelRequested: false,
      epoch: 0,
      deaths: 0,
    } as const;
    const sealed = journal.sealRun(run);
    expect(sealed.input).not.toContain(secret);
    return JSON.parse(journal.open({ run: sealed, events: [] }).run.input);
  };
}

test.each([
  ["no secrets", []],
  ["a secret", [secret]],
])("any input of a chain is opened as it was given, with %s", (_how, known) => {
  const marker = fc.constantFrom("$sealed_run", "$sealed", "$secret", "object", "__proto__", ...known);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), marker),
      fc.constant(["", ["KEY", "AAAAAA"], ""]),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("$sealed_run", "$sealed", "object", "a"), tie("value"), { maxKeys: 3 }),
    ),
  }));
  const pass = stored(known);
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("$sealed_run", "$sealed", "a"), value, { maxKeys: 3 }), (input) => {
      expect(JSON.stringify(pass(input))).toBe(JSON.stringify(input));
    }),
    { seed: 9, numRuns: 1000 },
  );
});
