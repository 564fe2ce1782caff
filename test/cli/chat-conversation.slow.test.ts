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

describe.concurrent("what a person is told who talks with an agent", () => {
  test("tools that cannot be used are told by `ask` and by `chat`", async () => {
    const files = { "tools/bad.ts": "export const = 1;\n" };
    const { cwd } = await agentWorkspace(["One.", "Two."], { files });
    const told = "tools/bad.ts could not be used; windlass validate shows why";
    expect((await windlass(["ask", "?"], { cwd })).stderr).toContain(told);
    expect((await windlass(["chat"], { cwd, input: "?\n" })).stderr).toContain(told);
  });

  test("rules that guard nothing are told by `ask` and by `chat`, once and in one line", async () => {
    const { cwd } = await agentWorkspace(["One.", "Two.", "Three."], {
      settings: "permissions: { ask: [nobody_has_it] }",
    });
    const told =
      'warning: this permission rule guards nothing, for want of such a tool: "nobody_has_it"; windlass validate';
    expect(count((await windlass(["ask", "?"], { cwd })).stderr, told)).toBe(1);
    expect(count((await windlass(["chat"], { cwd, input: "?\n?\n" })).stderr, told)).toBe(1);
  });

  test("what is no text on stdin is not sent", async () => {
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
      expect(came).toEqual({ code: 2, stderr: expect.stringMatching(/no text in UTF-8\n.*--image FILE/) });
    }
    expect(server.requests).toEqual([]);
  });

  test("a line of a piped chat that is no text is not asked, and the others are; U+FFFD is text", async () => {
    const { cwd, server } = await agentWorkspace(["One.", "Two.", "Three."]);
    const line = `printf 'a \\357\\277\\275 b\\ncaf\\351\\n高潮？\\na\\000b\\nnever\\n' | ${shellCommand} chat`;
    const came = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile("sh", ["-c", line], { cwd, env: environment }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });
    expect(came).toMatchObject({ code: 2, stdout: "One.\nTwo.\n" });
    expect(came.stderr).toMatch(/line 2 of stdin is no text in UTF-8[^]*line 4 of stdin is no text in UTF-8/);
    const asked = messagesOf(server.requests[1]).filter(({ role }) => role === "user");
    expect(asked).toMatchObject([{ content: "a \ufffd b" }, { content: "高潮？" }]);
  });

  test("an answer that the model's limit has cut says so below it, in the language of the question", async () => {
    const cut = { text: "It begins", finishReason: "length" } as const;
    const { cwd } = await agentWorkspace([cut, cut]);
    const english = await windlass(["ask", "Tell me."], { cwd });
    expect(english.stdout).toBe("It begins\n");
    expect(english.stderr).toContain("\n(cut: the model's limit of tokens was reached; ask it to go on");
    const chinese = await windlass(["ask", "告诉我。"], { cwd });
    expect(chinese.stderr).toMatch(/注意：回答达到模型的词元上限[^]*\n（已截断：达到模型的词元上限/);
    const runs = JSON.parse((await windlass(["runs", "--json"], { cwd })).stdout);
    expect((await windlass(["show", runs[0].run_id], { cwd })).stdout).toMatch(/^answer （已截断/m);
  });

  test("a chat speaks the language of the talk, also when it is taken up again", async () => {
    const { cwd } = await agentWorkspace(["好。"]);
    const input = "你好\n/usage\n/resume\n/modle\n/help\n";
    const { stderr } = await windlass(["chat", "--conversation", "c"], { cwd, input });
    expect(stderr).toMatch(/1 个问题：0 次工具调用/);
    expect(stderr).toContain("没有等待决定的问题");
    expect(stderr).toContain("没有 /modle；是不是 /model？");
    expect(stderr).toContain("忘记说过的话");
    const again = await windlass(["chat", "--conversation", "c"], { cwd, input: "/clear\n/history\n" });
    expect(again.stderr).toContain("已忘记。\n还没有说过什么。");
  });

  test("a runner that is mistyped on the command line is named", async () => {
    const { code, stderr } = await windlass(["ask", "?", "--runner", "autonomus"], { cwd: await folder() });
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean autonomous?");
  });
});

describe.runIf(hasTerminal).concurrent("a talk at a terminal", () => {
  test("what was done and said stays above an approval, and is not shown twice", async () => {
    const { cwd } = await agentWorkspace([calculate, send, "Sent."], { files: onceTool });
    const { type, shows, screen, ended } = openTerminal('ask "Tell ops."', { cwd, columns: 80, rows: 24 });
    await shows(/later\]$/);
    expect(screen.text).toMatch(
      /^‖ autonomous · waits for a decision · .*\n├─ ✓ I calculate first\..*\n└─ ✓ Calculating "6\*7" .*42.*\n\? Allow/,
    );
    type(`y${enter}`);
    expect(await ended).toBe(0);
    expect(count(screen.all, "Calculating")).toBe(1);
    expect(screen.all).toMatch(
      /later\] y\n✓ autonomous · answered · .*\n└─ ✓ Calling send .*\n\nSent\.\n\n2 tool calls/,
    );
  });

  test("a small screen is left to the approval, and all is shown afterwards", async () => {
    const { cwd } = await agentWorkspace([calculate, send, "Sent."], { files: onceTool });
    const { type, shows, screen, ended } = openTerminal('ask "Tell ops."', { cwd, columns: 60, rows: 12 });
    await shows(/later\]$/);
    expect(screen.text).toMatch(/^\? Allow/);
    type(`y${enter}`);
    expect(await ended).toBe(0);
    expect(count(screen.all, "Calculating")).toBe(1);
  });

  test("long arguments leave room for what was done before them", async () => {
    const content = Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n");
    const write = { toolCalls: [{ name: "write_file", args: { path: "log.md", content } }] };
    const settings = 'permissions: { ask: ["write_file"] }';
    const { cwd } = await agentWorkspace([calculate, write, "Not written."], { settings });
    const { type, shows, screen, ended } = openTerminal('ask "Write it."', { cwd, columns: 40, rows: 24 });
    await shows(/later\]$/);
    expect(screen.text).toMatch(/^‖ autonomous[^]*6\*7[^]*\? Allow[^]*left out[^]*line 59/);
    type(`n${enter}`);
    expect(await ended).toBe(0);
  });

  test("an approval that is decided elsewhere is told, and the answer to it is no question", async () => {
    const { cwd, server } = await agentWorkspace([send, "Sent.", "What now?"], { files: onceTool });
    const { type, shows, screen, ended } = openTerminal("chat", { cwd });
    await shows(prompt);
    type(`Tell ops.${enter}`);
    await shows(/later\]$/);
    const [{ id }] = JSON.parse((await windlass(["approvals", "--json"], { cwd })).stdout);
    await windlass(["approve", id, "--no-run"], { cwd });
    await shows(/later\]\n {2}approved elsewhere[^]*Sent\.[^]*›$/);
    type(`y${enter}`);
    await shows(/not sent, since the approval was decided elsewhere: y[^]*›$/);
    expect(server.requests).toHaveLength(2);
    type(`y${enter}`);
    await shows(/What now\?[^]*›$/);
    expect(JSON.stringify(messagesOf(server.requests[2]).at(-1)?.content)).toContain("y");
    type(ctrlD);
    expect(await ended).toBe(0);
    expect(count(screen.all, "autonomous ·")).toBe(2);
  });

  test("Ctrl-C at an approval ends its line, and what is told is broken between words", async () => {
    const { cwd } = await agentWorkspace([send], { files: onceTool });
    const { type, shows, screen, ended } = openTerminal("chat", { cwd, columns: 40 });
    await shows(prompt);
    type(`Tell ops.${enter}`);
    await shows(/later\]$/);
    type(ctrlC);
    await shows(/without it\.\n›$/);
    expect(screen.text).toMatch(/later\]\s\^C\nStopping; press Ctrl-C again to leave\nit as it is\.\n✗ autonomous/);
    type(ctrlD);
    expect(await ended).toBe(0);
  });

  test("lines are as long as the terminal is now, not as it was", async () => {
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

  test("a chat without a model says at its start what to set", async () => {
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
