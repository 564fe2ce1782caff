import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentWorkspace, messagesOf, onceTool } from "./agent-workspace.ts";
import { hasTerminal } from "./at-terminal.ts";
import { environment, folder, shellCommand, windlass } from "./windlass.ts";

describe.concurrent("windlass chat without a terminal", () => {
  test("takes each line as a prompt, which sees the conversation history", async () => {
    const { cwd, server } = await agentWorkspace(["Ahoy.", "你好！", "Bye."]);
    const input = "Hello\n\n你好\n/clear\nAnd now?\n";
    const { code, stdout } = await windlass(["chat"], { cwd, input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Ahoy.\n你好！\nBye.\n" });
    const text = server.requests.map((request) => messagesOf(request).filter(({ role }) => role === "user").length);
    expect(text).toEqual([1, 2, 1]);
  });

  test("commands list and change settings; an unknown one does not change the conversation", async () => {
    const { cwd, server } = await agentWorkspace(["One.", "Two."]);
    const input = "a\n/tools calculator\n/runner llm\n/modle\n/model\n/tools\nb\n/exit\nnever\n";
    const { code, stdout, stderr } = await windlass(["chat"], { cwd, input });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "One.\nTwo.\n" });
    expect(stderr).toContain("did you mean /model?");
    expect(stderr).toContain("* default");
    expect(stderr).toMatch(/calculator +pure/);
    expect(server.requests[0]?.body).toHaveProperty("tools");
    expect(server.requests[1]?.body).not.toHaveProperty("tools");
    expect(messagesOf(server.requests[1]).map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  });

  test("without a line it says that there are no prompts", async () => {
    const { code, stderr } = await windlass(["chat"], { cwd: await folder() });
    expect({ code }).toEqual({ code: 2 });
    expect(stderr).toContain("each line of stdin is one");
  });

  test("a prompt that waits for approval is reported, the next one runs, and the code is 3", async () => {
    const send = { toolCalls: [{ name: "send", args: { to: "ops" } }] };
    const { cwd } = await agentWorkspace([send, "Fine."], { files: onceTool });
    const { code, stdout, stderr } = await windlass(["chat"], { cwd, input: "Tell ops.\nHow are you?\n" });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "Fine.\n" });
    expect(stderr).toContain("windlass approve");
    expect(await readFile(join(cwd, "sent.log"), "utf8").catch(() => "")).toBe("");
  });
});

describe.concurrent("piped lines of a chat", () => {
  test("[N08] are untrusted: destructive calls need approval, and commands are text", async () => {
    const send = { toolCalls: [{ name: "send", args: { to: "evil" } }] };
    const settings = 'permissions: { ask: [], allow: ["*"] }';
    const { cwd } = await agentWorkspace([send, "Noted.", "None."], { settings, files: onceTool });
    const { code } = await windlass(["chat"], { cwd, input: "Tell them.\n" });
    expect({ code, sent: await readFile(join(cwd, "sent.log"), "utf8").catch(() => "") }).toEqual({
      code: 3,
      sent: "",
    });
    const { stderr } = await windlass(["chat", "--runner", "planned"], { cwd, input: "@memory evil9\n" });
    expect(stderr).toContain("@memory was taken as text");
  });
});

/** Keys to type once the screen shows a text. */
type Keys = readonly (readonly [shown: RegExp, typed: string])[];

/** Chats with the program at a terminal of 60 columns; returns the screen. */
function chatAtTerminal(cwd: string, keys: Keys): Promise<{ readonly code: number | null; readonly screen: string }> {
  // No shell in between: some exit on a Ctrl-C that the program has handled.
  const command = `stty cols 60 rows 24; exec ${shellCommand} chat`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { cwd, env: environment });
  let screen = "";
  let from = 0;
  let next = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    for (;;) {
      const [shown, typed = ""] = keys[next] ?? [];
      const found = shown?.exec(screen.slice(from));
      if (found === null || found === undefined) return;
      from += found.index + found[0].length;
      next++;
      child.stdin.write(typed);
    }
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, screen: screen.replaceAll("\r\n", "\n") }));
  });
}

/** An empty input line. */
// oxlint-disable-next-line no-control-regex
const prompt = /› (?:\u001b\[[\d;?]*[A-Za-z])*$/;
const enter = "\r";
const ctrlC = "\u0003";

describe.runIf(hasTerminal).concurrent("windlass chat at a terminal", () => {
  test("Ctrl-C stops the answer and not the conversation; twice on an empty line, it exits", async () => {
    const { cwd, server } = await agentWorkspace([
      "Ahoy.",
      { text: "word ".repeat(200), pieceDelayMs: 50 },
      "Still here.",
    ]);
    const { code, screen } = await chatAtTerminal(cwd, [
      [prompt, `Hello${enter}`],
      [prompt, `A long one${enter}`],
      [/word word/, ctrlC],
      [prompt, `Are you there?${enter}`],
      [prompt, ctrlC],
      [/again to exit/, ""],
      [prompt, ctrlC],
    ]);
    expect(code).toBe(0);
    expect(screen).toContain("this prompt is not added to the conversation");
    expect(screen).toContain("Still here.");
    expect(screen).toContain("windlass chat --conversation");
    const roles = messagesOf(server.requests[2]).map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "user"]);
  });

  test("pasted text is one message, and an approval prompt appears in place", async () => {
    const send = { toolCalls: [{ name: "send", args: { to: "船" } }] };
    const { cwd, server } = await agentWorkspace([send, "已发送。"], { files: onceTool });
    const { code } = await chatAtTerminal(cwd, [
      [prompt, `\u001b[200~第一行${enter}second line${enter}third\u001b[201~`],
      [/third/, enter],
      [/\[y\/n[^\]]*\]/, `y${enter}`],
      [/已发送。/, ""],
      [prompt, "\u0004"],
    ]);
    expect(code).toBe(0);
    expect(messagesOf(server.requests[0]).at(-1)).toMatchObject({ role: "user" });
    expect(JSON.stringify(messagesOf(server.requests[0]).at(-1))).toContain("第一行\\nsecond line\\nthird");
    expect(await readFile(join(cwd, "sent.log"), "utf8")).toBe("船\n");
  });
});
