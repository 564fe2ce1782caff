import { expect, test } from "vitest";
import { SmallSet } from "./run-leases.ts";

test("items that are removed during iteration do not disturb it", () => {
  const smallSet = new SmallSet<string>();
  for (const name of ["a", "b", "c"]) smallSet.add(name);
  const visited: string[] = [];
  for (const name of smallSet) {
    visited.push(name);
    smallSet.delete(name);
  }
  smallSet.delete("never here");
  expect({ visited, left: [...smallSet], size: smallSet.size }).toEqual({
    visited: ["a", "b", "c"],
    left: [],
    size: 0,
  });
});
