import { expect, test } from "vitest";
import type { ToolFolderEvent } from "../hub/index.ts";
import { BufferedEvents } from "./open-sources.ts";

const loaded = (tool: string): ToolFolderEvent => ({ type: "tool_loaded", at: 0, tool, source: "tools" });

test("events emitted before a listener is attached are delivered later, in order and once; the rest at once", () => {
  const events = new BufferedEvents();
  const heard: ToolFolderEvent[] = [];
  events.emit(loaded("a"));
  events.emit(loaded("b"));
  events.release((event) => heard.push(event));
  expect(heard).toEqual([loaded("a"), loaded("b")]);
  events.emit(loaded("c"));
  expect(heard).toEqual([loaded("a"), loaded("b"), loaded("c")]);
});
