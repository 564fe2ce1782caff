import { expect, test } from "vitest";
import { agentWorkspace } from "./agent-workspace.ts";
import { tracingTools } from "./chain-workspace.ts";
import { codeTool, folder, windlass } from "./windlass.ts";

/** Fails the first time. */
const flaky = codeTool(
  "flaky",
  `let calls = 0;
export default () => {
  if (++calls === 1) throw Object.assign(new Error("not yet"), { code: "not_available", retry: "transient" });
  return calls;
};`,
  "effect: read",
);

const chain = `name: counts
steps:
  - { id: each, tool: read, for_each: [1, 2], params: { number: "\${item}" } }
  - { id: again, tool: flaky, retry: { max: 3, delay: 1 } }
  - { id: other, tool: fails, error_handling: { strategy: fallback, fallback: [{ tool: read, params: { text: other } }] } }
`;

test("[U14] a run counts retries and recovered steps, and neither items nor successes", async () => {
  const cwd = await folder({ "windlass.yaml": "", ...tracingTools, ...flaky, "chains/counts.yaml": chain });
  const { code, stderr } = await windlass(["run", "counts", "--run-id", "r"], { cwd });
  expect(code).toBe(0);
  expect(stderr).toMatch(/ each: success in [^,\n]+$/m);
  expect(stderr).toMatch(/ again: success in [^,\n]+, after 1 retry$/m);
  expect(stderr).toMatch(/ counts succeeded in .* \(3 steps, 1 retry, 1 recovered(?:, [\d.]+× parallel)?\)$/m);
  const shown = await windlass(["show", "r"], { cwd });
  expect(shown.stdout).toMatch(/✓ each .* 2 items$/m);
  expect(shown.stdout).toMatch(/✓ again .* after 1 retry$/m);
  expect(shown.stdout).toContain("(3 steps, 1 retry, 1 recovered");
});

test("[U14] a dry run reports a withheld call as withheld, not as a success", async () => {
  const order = `name: order
steps:
  - { id: look, tool: read, params: { text: ada } }
  - { id: send, tool: send, params: { to: "\${steps.look.output.value}" } }
`;
  const cwd = await folder({ "windlass.yaml": "", ...tracingTools, "chains/order.yaml": order });
  const { code, stderr } = await windlass(["run", "order", "--dry-run"], { cwd });
  expect(code).toBe(0);
  expect(stderr).toMatch(/ look: success in /);
  expect(stderr).toMatch(/ send: withheld: this is a dry run$/m);
  expect(stderr).toMatch(/^✓ dry run of order succeeded in .* \(1 step, 1 withheld/m);
});

test("[U14] the summary of an agent run distinguishes rounds of tool calls from model requests", async () => {
  const { cwd, server } = await agentWorkspace(
    ({ body }) =>
      JSON.stringify(body).includes('"tool_choice":"none"') || !JSON.stringify(body).includes('"tools"')
        ? { text: "an answer" }
        : { toolCalls: [{ name: "read", args: { number: server.requests.length } }] },
    { settings: "agent: { max_rounds: 2 }", files: tracingTools },
  );
  const { code, stderr } = await windlass(["ask", "what is it?"], { cwd });
  expect(code).toBe(0);
  expect(server.requests).toHaveLength(3);
  expect(stderr).toContain("all 2 rounds of tool calls (max_rounds) were used up");
  expect(stderr).toContain("2 tool calls, 3 model requests");
});
