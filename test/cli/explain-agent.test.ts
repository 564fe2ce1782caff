import { describe, expect, test } from "vitest";
import { agentWorkspace } from "./agent-workspace.ts";
import { windlass } from "./windlass.ts";

const runOf = (stderr: string): string => /run (\S+)$/m.exec(stderr)?.[1] ?? "";

describe.concurrent("windlass explain for a call of an agent", () => {
  test("says that a command in the prompt called it, and show marks it", async () => {
    const plan = { toolCalls: [{ name: "calculator", args: { expression: "6*7" }, id: "c1" }] };
    const { cwd } = await agentWorkspace([plan, "Noted."]);
    const { stderr } = await windlass(["ask", "@memory the quay closes at six", "--runner", "planned"], { cwd });
    const id = runOf(stderr);
    const [stored, calculated, shown, facts] = await Promise.all([
      windlass(["explain", id, "memory_store"], { cwd }),
      windlass(["explain", id, "calculator"], { cwd }),
      windlass(["show", id], { cwd }),
      windlass(["explain", id, "calculator", "--json"], { cwd }),
    ]);
    expect(stored.stdout).toContain(
      'A command in the prompt called memory_store with {"content":"the quay closes at six"}.',
    );
    expect(calculated.stdout).toContain('The model called calculator with {"expression":"6*7"} in round 1 of plan.');
    expect(JSON.parse(facts.stdout)).toMatchObject({
      sentences: [expect.stringContaining("The model called calculator"), expect.stringContaining("It succeeded")],
      facts: [
        { code: "called", params: { initiator: "model", tool: "calculator", round: 1, part: "plan" } },
        { code: "call_succeeded" },
      ],
    });
    expect(shown.stdout).toMatch(/✓ .* \(by command\)/);
    expect(shown.stdout.match(/by command/g)).toHaveLength(1);
  });

  test("says that the runner called it", async () => {
    const { cwd } = await agentWorkspace(["At six [1]."], {
      settings: "vault: notes",
      files: { "notes/tides.md": "# Tides\n\nThe tide turns at six.\n" },
    });
    const { stderr } = await windlass(["ask", "When does the tide turn?", "--runner", "vault"], { cwd });
    const { stdout } = await windlass(["explain", runOf(stderr), "local_search"], { cwd });
    expect(stdout).toContain("The runner itself called local_search with ");
    expect(stdout).not.toContain("The model called");
  });
});
