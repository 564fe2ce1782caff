import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { agentWorkspace, messagesOf, onceTool } from "./agent-workspace.ts";
import { hasTerminal } from "./at-terminal.ts";
import { keys, openTerminal } from "./terminal-session.ts";
import { environment, folder, shellCommand, windlass } from "./windlass.ts";

const { enter, ctrlC, ctrlD } = keys;
const calculate = { text: "I calculate first.", toolCalls: [{ name: "calculator", args: { expression: "6*7" } }] };
const send = { toolCalls: [{ name: "send", args: { to: "ops" } }] };
const prompt = /(?:^|\n)›$/;

function count(text: string, what: string): number {
  return text.split(what).length - 1;
}

describe.concurrent("reports of a chat", () => {
  test("unusable tools are reported by `ask` and by `chat`", async () => {
    const files = { "tools/bad.ts": "export const = 1;\n" };
    const { cwd } = await agentWorkspace(["One.", "Two."], { files });
    const reported = "tools/bad.ts could not be loaded; for details: windlass validate";
    expect((await windlass(["ask", "?"], { cwd })).stderr).toContain(reported);
    expect((await windlass(["chat"], { cwd, input: "?\n" })).stderr).toContain(reported);
  });

  test("unmatched permission rules are reported by `ask` and by `chat`, once and in one line", async () => {
    const { cwd } = await agentWorkspace(["One.", "Two.", "Three."], {
      settings: "permissions: { ask: [nobody_has_it] }",
    });
    const reported = 'warning: this permission rule matches no tool: "nobody_has_it"; for details: windlass validate';
    expect(count((await windlass(["ask", "?"], { cwd })).stderr, reported)).toBe(1);
    expect(count((await windlass(["chat"], { cwd, input: "?\n?\n" })).stderr, reported)).toBe(1);
  });

  test("input on stdin that is not text is not sent", async () => {
    const { cwd, server } = await agentWorkspace(["One."]);
    for (const [bytes, command] of [
      ["\\377\\330\\377", "ask 'What is it?'"],
      ["caf\\351", "ask -"],
      ["a\\000b", "ask 'What is it?'"],
      ["caf\\351\\n", "chat"],
    ] as const) {
      const came = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
        const line = `printf '${bytes}' | ${shellCommand} ${command}`;
        execFile("sh", ["-c", line], { cwd, env: environment }, (error, _stdout, stderr) =>
          resolve({ code: error?.code, stderr }),
        );
      });
      expect(came).toEqual({ code: 2, stderr: expect.stringMatching(/not valid UTF-8 text\n.*--image FILE/) });
    }
    expect(server.requests).toEqual([]);
  });

  test("a line of a piped chat that is not text is not sent, and the others are; U+FFFD is text", async () => {
    const { cwd, server } = await agentWorkspace(["One.", "Two.", "Three."]);
    const line = `printf 'a \\357\\277\\275 b\\ncaf\\351\\n高潮？\\na\\000b\\nnever\\n' | ${shellCommand} chat`;
    const came = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile("sh", ["-c", line], { cwd, env: environment }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });
    expect(came).toMatchObject({ code: 2, stdout: "One.\nTwo.\n" });
    expect(came.stderr).toMatch(/line 2 of stdin is not valid UTF-8 text[^]*line 4 of stdin is not valid UTF-8 text/);
    const requested = messagesOf(server.requests[1]).filter(({ role }) => role === "user");
    expect(requested).toMatchObject([{ content: "a \ufffd b" }, { content: "高潮？" }]);
  });

  test("an answer cut by the model's token limit says so below it, in the language of the prompt", async () => {
    const cut = { text: "It begins", finishReason: "length" } as const;
    const { cwd } = await agentWorkspace([cut, cut]);
    const english = await windlass(["ask", "Tell me."], { cwd });
    expect(english.stdout).toBe("It begins\n");
    expect(english.stderr).toContain("\n(incomplete: the model reached its token limit; prompt it to continue");
    const chinese = await windlass(["ask", "告诉我。"], { cwd });
    expect(chinese.stderr).toMatch(/注意：回答达到模型的 token 上限[^]*\n（回答不完整：已达到模型的 token 上限/);
    const runs = JSON.parse((await windlass(["runs", "--json"], { cwd })).stdout);
    expect((await windlass(["show", runs[0].run_id], { cwd })).stdout).toMatch(/^answer （回答不完整/m);
  });

  test("a chat uses the language of the conversation, also when it is continued", async () => {
    const { cwd } = await agentWorkspace(["好。"]);
    const input = "你好\n/usage\n/resume\n/modle\n/help\n";
    const { stderr } = await windlass(["chat", "--conversation", "c"], { cwd, input });
    expect(stderr).toMatch(/1 次提问：0 次工具调用/);
    expect(stderr).toContain("没有等待审批的提问");
    expect(stderr).toContain("未知命令 /modle；是不是 /model？");
    expect(stderr).toContain("清空对话历史");
    const again = await windlass(["chat", "--conversation", "c"], { cwd, input: "/clear\n/history\n" });
    expect(again.stderr).toContain("已清空。\n暂无对话记录。");
  });

  test("a mistyped runner on the command line gets a suggestion", async () => {
    const { code, stderr } = await windlass(["ask", "?", "--runner", "autonomus"], { cwd: await folder() });
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean autonomous?");
  });
});

describe.runIf(hasTerminal).concurrent("a chat at a terminal", () => {
  test("finished steps and text stay above an approval, and are not shown twice", async () => {
    const { cwd } = await agentWorkspace([calculate, send, "Sent."], { files: onceTool });
    const { type, shows, screen, ended } = openTerminal('ask "Tell ops."', { cwd, columns: 80, rows: 24 });
    await shows(/later\]$/);
    expect(screen.text).toMatch(
      /^‖ autonomous · waiting for approval · .*\n├─ ✓ I calculate first\..*\n└─ ✓ Calculating "6\*7" .*42.*\n\? Allow/,
    );
    type(`y${enter}`);
    expect(await ended).toBe(0);
    expect(count(screen.all, "Calculating")).toBe(1);
    expect(screen.all).toMatch(
      /later\] y\n✓ autonomous · answered · .*\n└─ ✓ Calling send .*\n\nSent\.\n\n2 tool calls/,
    );
  });

  test("a small screen is cleared for the approval, and everything is shown afterwards", async () => {
    const { cwd } = await agentWorkspace([calculate, send, "Sent."], { files: onceTool });
    const { type, shows, screen, ended } = openTerminal('ask "Tell ops."', { cwd, columns: 60, rows: 12 });
    await shows(/later\]$/);
    expect(screen.text).toMatch(/^\? Allow/);
    type(`y${enter}`);
    expect(await ended).toBe(0);
    expect(count(screen.all, "Calculating")).toBe(1);
  });

  test("long arguments leave space for the steps above them", async () => {
    const content = Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n");
    const write = { toolCalls: [{ name: "write_file", args: { path: "log.md", content } }] };
    const settings = 'permissions: { ask: ["write_file"] }';
    const { cwd } = await agentWorkspace([calculate, write, "Not written."], { settings });
    const { type, shows, screen, ended } = openTerminal('ask "Write it."', { cwd, columns: 40, rows: 24 });
    await shows(/later\]$/);
    expect(screen.text).toMatch(/^‖ autonomous[^]*6\*7[^]*\? Allow[^]*omitted[^]*line 59/);
    type(`n${enter}`);
    expect(await ended).toBe(0);
  });

  test("an approval that is decided elsewhere is reported, and a late answer is not sent as a prompt", async () => {
    const { cwd, server } = await agentWorkspace([send, "Sent.", "What now?"], { files: onceTool });
    const { type, shows, screen, ended } = openTerminal("chat", { cwd });
    await shows(prompt);
    type(`Tell ops.${enter}`);
    await shows(/later\]$/);
    const [{ id }] = JSON.parse((await windlass(["approvals", "--json"], { cwd })).stdout);
    await windlass(["approve", id, "--no-resume"], { cwd });
    await shows(/later\]\n {2}approved elsewhere[^]*Sent\.[^]*›$/);
    type(`y${enter}`);
    await shows(/not sent, because the approval was decided elsewhere: y[^]*›$/);
    expect(server.requests).toHaveLength(2);
    type(`y${enter}`);
    await shows(/What now\?[^]*›$/);
    expect(JSON.stringify(messagesOf(server.requests[2]).at(-1)?.content)).toContain("y");
    type(ctrlD);
    expect(await ended).toBe(0);
    expect(count(screen.all, "autonomous ·")).toBe(2);
  });

  test("Ctrl-C at an approval ends its line, and reports are wrapped between words", async () => {
    const { cwd } = await agentWorkspace([send], { files: onceTool });
    const { type, shows, screen, ended } = openTerminal("chat", { cwd, columns: 40 });
    await shows(prompt);
    type(`Tell ops.${enter}`);
    await shows(/later\]$/);
    type(ctrlC);
    await shows(/the conversation\.\n›$/);
    expect(screen.text).toMatch(
      /later\]\s\^C\nCancelling; press Ctrl-C again to exit\nimmediately \(resume later\)\.\n✗ autonomous/,
    );
    type(ctrlD);
    expect(await ended).toBe(0);
  });

  test("lines fit the current width of the terminal, not the initial one", async () => {
    const sentence = "a sentence that is a good deal longer than a narrow terminal is wide";
    const { cwd } = await agentWorkspace([sentence, sentence]);
    const { type, shows, resize, ended } = openTerminal("chat", { cwd, columns: 40 });
    await shows(prompt);
    type(`One?${enter}`);
    await shows(/a sentence that is a good deal longer\nthan[^]*›$/);
    await resize(100, 24);
    await pause(300);
    type(`Two?${enter}`);
    await shows(new RegExp(`Two\\?[^]*\\n${sentence}\\n[^]*›$`));
    type(ctrlD);
    expect(await ended).toBe(0);
  });

  test("a chat without a model says at its start what to configure", async () => {
    const { type, shows, screen, ended } = openTerminal("chat", { cwd: await folder(), columns: 120 });
    await shows(prompt);
    expect(screen.text).toContain("autonomous with no model and");
    expect(screen.text).toMatch(/note: autonomous needs a model, and none is configured[^]*export WINDLASS_MODEL/);
    expect(screen.text).toContain("/runner vault answers from your notes without a model");
    type(ctrlD);
    expect(await ended).toBe(0);
  });

  test("a narrow terminal shows each tool on one line", async () => {
    const { cwd } = await agentWorkspace([], { settings: "agent: { tools: [calculator, get_conversation_history] }" });
    const { type, shows, screen, ended } = openTerminal("chat", { cwd, columns: 40 });
    await shows(prompt);
    type(`/tools${enter}`);
    await shows(/\d tools\n›$/);
    expect(screen.text).toMatch(/\ncalculator +\S.*…\n/);
    expect(screen.written.every((line) => line.length <= 40)).toBe(true);
    type(ctrlD);
    expect(await ended).toBe(0);
  });
});
