import { expectTypeOf } from "vitest";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import type { Jsonify, OutputOf } from "./tool.ts";

expectTypeOf<Jsonify<{ at: Date; list: Date[]; note?: string; gone: undefined; run(): void }>>().toEqualTypeOf<{
  at: string;
  list: string[];
  note?: string | undefined;
  gone: undefined;
}>();
expectTypeOf<Jsonify<[Date, number]>>().toEqualTypeOf<[string, number]>();
expectTypeOf<Jsonify<unknown>>().toBeUnknown();
expectTypeOf<Jsonify<"a" | 1 | null>>().toEqualTypeOf<"a" | 1 | null>();

const nothing = defineTool({ name: "nothing", description: "Gives nothing", run: () => {} });
expectTypeOf<OutputOf<typeof nothing>>().toEqualTypeOf<null>();

const dated = defineTool({ name: "dated", description: "Gives a date", run: async () => ({ at: new Date(0) }) });
expectTypeOf<OutputOf<typeof dated>>().toEqualTypeOf<{ at: string }>();

const checked = defineTool({
  name: "checked",
  description: "Gives a checked date",
  output: z.object({ at: z.date(), n: z.number().optional() }),
  run: () => ({ at: new Date(0) }),
});
expectTypeOf<OutputOf<typeof checked>["at"]>().toEqualTypeOf<string>();
