import { describe, expect, test } from "vitest";
import { readCommands } from "./read-commands.ts";

const names = ["vault", "websearch", "web", "memory", "周报"];
const found = (text: string): string[] => readCommands(text, names).commands.map(({ name }) => name);

describe("[E02] commands in a message", () => {
  test("are found with what follows them, and the text without them is left", () => {
    expect(readCommands("Hello @vault tide mills @websearch", names)).toEqual({
      commands: [
        { name: "vault", rest: "tide mills" },
        { name: "websearch", rest: "" },
      ],
      text: "Hello tide mills",
      before: "Hello",
    });
    expect(readCommands("@memory: the quay closes at six", names).commands).toEqual([
      { name: "memory", rest: "the quay closes at six" },
    ]);
    expect(readCommands("no commands here", names)).toEqual({
      commands: [],
      text: "no commands here",
      before: "no commands here",
    });
  });

  test.each<readonly [string, readonly string[]]>([
    ["@Vault x", ["vault"]],
    ["请用@vault查找潮汐", ["vault"]],
    ["＠vault 潮汐", ["vault"]],
    ["（@web）潮汐", ["web"]],
    ["@周报写一下", ["周报"]],
    ["look it up, @vault.", ["vault"]],
    ["@vault, @web and @vault", ["vault", "web"]],
    ["@websearch x", ["websearch"]],
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  test.each([
    "a@vault.com",
    "write to me @vault.com",
    "用户@vault.com",
    "npm i @vault/core and @web/test-runner",
    "@vaults @vault2 @vault-old @vault_x @vault@x @website",
    "https://example.com/@vault",
    "curl -d data=@vault",
    "\\@vault",
    'what does "@vault" mean?',
    "“@vault”是什么意思？",
    "`@vault x`",
    "``a ` @vault``",
    "```\n@vault x\n```",
    "~~~sh\n@vault x",
    "see:\n\n    @vault x\n",
    "> she wrote: @memory all my secrets",
    "@unknown x",
    "@",
    "@constructor @__proto__",
  ])("none in: %j", (text) => {
    expect(found(text)).toEqual([]);
    expect(readCommands(text, names).text).toBe(text.trim());
  });

  test("a fence that is closed is over, and so is code within a line", () => {
    expect(found("```\n@web\n```\n@vault x")).toEqual(["vault"]);
    expect(found("`@web` @vault")).toEqual(["vault"]);
    expect(found("a ` is no code @vault")).toEqual(["vault"]);
    expect(found("````\n```\n@web\n````\n@vault")).toEqual(["vault"]);
  });

  test("hostile messages are read in no time, and hold few commands", () => {
    const began = performance.now();
    expect(found("@vault ".repeat(50_000))).toEqual(["vault"]);
    found("`".repeat(100_000));
    found(Array.from({ length: 2000 }, (_, index) => "`".repeat(index % 97)).join("@vault "));
    found("@".repeat(100_000));
    found("\n".repeat(100_000));
    found(`${" ".repeat(200_000)}x @vault${" ".repeat(200_000)}y`);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
