import { fromJsonSchema } from "../schema/index.ts";
import { type Tool, defineTool } from "../tool/index.ts";

/** Input and output of `echo`. */
export interface Echo {
  readonly message: unknown;
}

/** The tool `echo`: returns its input; for testing. */
export const echoTool: Tool<Echo, Echo, Echo> = defineTool({
  name: "echo",
  description: "Returns the message it got. Useful to test calls and to pass a value on.",
  displayName: "Echo",
  tags: ["test"],
  capabilities: ["echo", "回显"],
  effect: "pure",
  input: fromJsonSchema<Echo, Echo>({
    type: "object",
    properties: { message: { description: "Any value." } },
    required: ["message"],
    examples: [{ message: "hello" }, { message: { list: [1, "二"] } }],
  }),
  output: fromJsonSchema<Echo, Echo>({ type: "object", properties: { message: {} }, required: ["message"] }),
  run: (args) => ({ ...args }),
});
