import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { migrate, migrationSteps } from "../../src/adapters/sqlite/journal/migrate.ts";
import type { ModelServer } from "../../src/testing.ts";
import { agentWorkspace, killWhenRequested, messagesOf, onceTool } from "./agent-workspace.ts";
import { environment, printedBy, shellCommand, windlass } from "./windlass.ts";

const send = { toolCalls: [{ name: "send", args: { to: "ops" }, id: "c1" }] };

/** User messages in the request with this index. */
function textIn({ requests }: Pick<ModelServer, "requests">, index: number): string[] {
  return messagesOf(requests.at(index))
    .filter(({ role }) => role === "user")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
}

/** A chat whose lines are typed one after another, each after the previous answer. */
function openChat(cwd: string, conversation: string) {
  const child = spawn(`exec ${shellCommand} chat --conversation ${conversation}`, {
    cwd,
    env: environment,
    shell: true,
  });
  let printed = "";
  let heard = (): void => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    heard();
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    send: async (line: string, answer: string): Promise<void> => {
      child.stdin.write(`${line}\n`);
      while (!printed.includes(`${answer}\n`)) await new Promise<void>((resolve) => (heard = resolve));
    },
    close: (): Promise<number | null> => {
      child.stdin.end();
      return ended;
    },
  };
}

describe.concurrent("a conversation in several processes", () => {
  test("contains the calls made after an approval, after messages sent in between", async () => {
    const { cwd, server } = await agentWorkspace(["Hello.", send, "B it is.", "Sent.", "Yes."], { files: onceTool });
    const sendPrompt = (text: string) => windlass(["ask", text, "--json", "--conversation", "t"], { cwd });
    await sendPrompt("Hi.");
    const waiting = printedBy(await sendPrompt("Tell ops.")) as { run_id: string; approvals: { id: string }[] };
    expect((await sendPrompt("B?")).code).toBe(0);
    const approved = await windlass(["approve", waiting.approvals[0]?.id ?? "", "--json"], { cwd });
    expect(approved.code).toBe(0);
    expect(approved.stdout).toContain("another prompt was answered in this conversation in the meantime");
    // It resumed with its original history.
    expect(textIn(server, 3)).toEqual(["Hi.", "Tell ops."]);
    expect((await sendPrompt("Was it sent?")).code).toBe(0);
    expect(textIn(server, 4)).toEqual(["Hi.", "B?", "Tell ops.", "Was it sent?"]);
    const roles = messagesOf(server.requests[4]).map(({ role }) => role);
    expect(roles.slice(5, 9)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(await readFile(join(cwd, "sent.log"), "utf8")).toBe("ops\n");
    const shown = await windlass(["show", waiting.run_id, "--json"], { cwd });
    expect(shown.stdout).toContain("Sent.");
  });

  test("contains the turns of two chats and of a concurrent `ask`", async () => {
    const { cwd, server } = await agentWorkspace(["A1.", "B1.", "A2.", "C1.", "B2."]);
    const [one, other] = [openChat(cwd, "t"), openChat(cwd, "t")];
    await one.send("a1", "A1.");
    await other.send("b1", "B1.");
    await one.send("a2", "A2.");
    await windlass(["ask", "c1", "--conversation", "t"], { cwd });
    await other.send("b2", "B2.");
    expect([await one.close(), await other.close()]).toEqual([0, 0]);
    expect(textIn(server, -1)).toEqual(["a1", "b1", "a2", "c1", "b2"]);
  });

  test("a run that was killed resumes with its original history, and is the last turn", async () => {
    const { cwd, server } = await agentWorkspace(["Hello.", { hang: true }, "Meanwhile.", "Done.", "Yes."]);
    const sendPrompt = (text: string) => windlass(["ask", text, "--conversation", "t"], { cwd });
    await sendPrompt("Hi.");
    await windlass(["ask", "Work.", "--conversation", "t"], {
      cwd,
      onStart: killWhenRequested(server, 2, "SIGKILL"),
    });
    await sendPrompt("And?");
    expect((await windlass(["resume"], { cwd })).stdout).toBe("Done.\n");
    expect(messagesOf(server.requests[3])).toEqual(messagesOf(server.requests[1]));
    await sendPrompt("All?");
    expect(textIn(server, 4)).toEqual(["Hi.", "And?", "Work.", "All?"]);
  });

  test("a conversation that was cleared stays empty when it is continued", async () => {
    const { cwd, server } = await agentWorkspace(["One.", "Two.", "Three."]);
    await windlass(["chat", "--conversation", "t"], { cwd, input: "first\n/clear\n" });
    await windlass(["ask", "second", "--conversation", "t"], { cwd });
    await windlass(["chat", "--conversation", "t"], { cwd, input: "third\n" });
    expect(textIn(server, 1)).toEqual(["second"]);
    expect(textIn(server, 2)).toEqual(["second", "third"]);
  });

  test("continues after 1,005 other runs", async () => {
    const { cwd, server } = await agentWorkspace(["Ahoy, Ada.", "You are Ada."]);
    await windlass(["ask", "I am Ada.", "--conversation", "old"], { cwd });
    const db = new DatabaseSync(join(cwd, ".windlass/journal.db"));
    db.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1005)
       INSERT INTO runs (id, kind, name, definition, input, context, format, fingerprints, started_at, finished_at,
         status, output, epoch, conversation, after_turn)
       SELECT 'r' || i, kind, name, definition, input, context, format, fingerprints, started_at + i, finished_at + i, status,
         output, epoch, 'r' || i, 0 FROM runs, n`,
    );
    db.close();
    await windlass(["ask", "Who am I?", "--conversation", "old"], { cwd });
    expect(textIn(server, 1)).toEqual(["I am Ada.", "Who am I?"]);
  });

  test("stored by the previous version continues", async () => {
    const { cwd, server } = await agentWorkspace(["You are Ada.", "Still Ada."]);
    await mkdir(join(cwd, ".windlass"), { mode: 0o700 });
    const db = new DatabaseSync(join(cwd, ".windlass/journal.db"));
    migrate(db, "f", migrationSteps.slice(0, 3));
    const message = (role: string, text: string) => ({ role, content: [{ type: "text", text }] });
    const history = [message("user", "Hi."), message("assistant", "Hello.")];
    const input = JSON.stringify({ text: "I am Ada.", history });
    db.prepare("INSERT INTO blobs (number, hash, data) VALUES (1, 'h', ?)").run(
      JSON.stringify({ agent: { runner: "llm", maxRounds: 4, contextTokens: 100_000 } }),
    );
    db.prepare(
      `INSERT INTO runs (id, chain, definition, input, context, format, fingerprints, started_at, finished_at, status,
         output, epoch)
       VALUES ('r', 'agent:llm', 1, ?, '{"conversationId":"old"}', 1, '{}', ?1, ?1, 'success', '{"answer":"Ahoy."}', 1)`.replaceAll(
        "?1",
        String(Date.now()),
      ),
    ).run(input);
    db.close();
    await windlass(["ask", "Who am I?", "--conversation", "old"], { cwd });
    expect(textIn(server, 0)).toEqual(["Hi.", "I am Ada.", "Who am I?"]);
    await windlass(["ask", "Sure?", "--conversation", "old"], { cwd });
    expect(textIn(server, 1)).toEqual(["Hi.", "I am Ada.", "Who am I?", "Sure?"]);
  });
});
