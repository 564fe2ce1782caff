import { describe, expect, test } from "vitest";
import { createToolResult, recordedValueTool } from "../../../run/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { detectCommands } from "./detect-commands.ts";

const tool = { name: "web_search", writes: false, takesTurns: false };

describe("the commands that a run has recorded", () => {
  test.each(["chosen", "input", "given"])("are read if their indexes are recorded as `%s`", (key) => {
    const output = { [key]: [1], tools: [tool] };
    const run = { notice: () => undefined } as unknown as AgentRun;
    const program = detectCommands(run, "@vault tides\n@websearch moon", []);
    expect(program.next().value).toMatchObject({ kind: "observe", key: "commands#1" });
    const result = createToolResult(recordedValueTool, { success: true, output });
    const { value } = program.next({ kind: "call", result });
    expect(value).toMatchObject({ commands: [{ name: "websearch", rest: "moon", nth: 1, tool }] });
  });
});
