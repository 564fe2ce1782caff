import { type InputFor, type ToolFor, defineTool } from "../tool/index.ts";

const input = {
  type: "object",
  properties: { message: { description: "Any value." } },
  required: ["message"],
  examples: [{ message: "hello" }, { message: { list: [1, "二"] } }],
} as const;

/** Input and output of `echo`. */
export type Echo = InputFor<typeof input>;

/** The tool `echo`: returns its input; for testing. */
export const echoTool: ToolFor<typeof input, Echo> = defineTool({
  name: "echo",
  description: "Returns the message it got. Useful to test calls and to pass a value on.",
  displayName: "Echo",
  tags: ["test"],
  capabilities: ["echo", "回显"],
  effect: "pure",
  input,
  output: { type: "object", properties: { message: {} }, required: ["message"] },
  run: (args) => ({ ...args }),
});
