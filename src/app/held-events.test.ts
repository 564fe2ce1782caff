import { expect, test } from "vitest";
import type { FolderEvent } from "../hub/index.ts";
import { HeldEvents } from "./held-events.ts";

const loaded = (tool: string): FolderEvent => ({ type: "tool_loaded", at: 0, tool, source: "tools" });

test("what is told before anybody listens is heard later, in order and once; the rest at once", () => {
  const events = new HeldEvents();
  const heard: FolderEvent[] = [];
  events.tell(loaded("a"));
  events.tell(loaded("b"));
  events.release((event) => heard.push(event));
  expect(heard).toEqual([loaded("a"), loaded("b")]);
  events.tell(loaded("c"));
  expect(heard).toEqual([loaded("a"), loaded("b"), loaded("c")]);
});
