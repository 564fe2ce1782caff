import { fromJsonSchema } from "../schema/index.ts";
import { type Tool, defineTool } from "../tool/index.ts";

/** What `echo` takes and gives back. */
export interface Echo {
  readonly message: unknown;
}

/** `echo`: gives back what it got; for trying things out. */
export const echoTool: Tool<Echo, Echo, Echo> = defineTool({
  name: "echo",
  description: "Gives back the message it got. Useful to try out calls and to pass a value on.",
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
