import { expect, test } from "vitest";
import { Roster } from "./roster.ts";

test("those who leave while all are visited disturb nobody", () => {
  const roster = new Roster<string>();
  for (const name of ["a", "b", "c"]) roster.add(name);
  const visited: string[] = [];
  for (const name of roster) {
    visited.push(name);
    roster.delete(name);
  }
  roster.delete("never here");
  expect({ visited, left: [...roster], size: roster.size }).toEqual({ visited: ["a", "b", "c"], left: [], size: 0 });
});
