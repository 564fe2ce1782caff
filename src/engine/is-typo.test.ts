import { expect, test } from "vitest";
import { isTypo } from "./unmatched-rule.ts";

test.each(["destructve", "destructiv", "Destructive", "destrcutive", "desstructive", "destrutve", "dsetrcutive"])(
  "%s is destructive, mistyped",
  (text) => {
    expect(isTypo(text, "destructive")).toBe(true);
  },
);

const others = "destruct destructor destructi destruction destructible destructing destructively destroy destruct_me d";
test.each([...others.split(" "), "instructive", "constructive", "self_destructive", ""])(
  "%s may be a name of its own",
  (text) => {
    expect(isTypo(text, "destructive")).toBe(false);
  },
);

test("in a short word one letter may be wrong, and not the first", () => {
  expect(["mcp", "mpcs", "mcpss"].map((text) => isTypo(text, "mcps"))).toEqual([true, true, true]);
  expect(["mc", "acps", "mail", "maps_x"].map((text) => isTypo(text, "mcps"))).toEqual([false, false, false, false]);
});
