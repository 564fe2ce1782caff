import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "./engine.ts";
import { compilePermissions } from "./permissions.ts";
import { unmatchedRule } from "./unmatched-rule.ts";

const subject = {
  aliases: [],
  source: "tools",
  callerType: "conversation_agent",
  effect: "once",
  destructive: true,
} as const;

describe("[S22] names in permission rules fold case", () => {
  test.each([
    ["delete_*", "DELETE_all"],
    ["delete_all", "Delete_All"],
    ["DELETE_*", "delete_all"],
    ["*_ALL", "delete_all"],
    ["model:files/Write_*", "Files/write_file"],
    ["löschen", "LÖSCHEN"],
    ["удалить_*", "УДАЛИТЬ_всё"],
    ["σας", "ΣΑΣ"],
    ["delete_item", "delete_ıtem"],
  ])("deny %s denies %s", (rule, tool) => {
    expect(compilePermissions({ deny: [rule] }).decide({ ...subject, tool }).permission).toBe("deny");
    expect(compilePermissions({ ask: [rule] }).decide({ ...subject, tool }).permission).toBe("ask");
    expect(compilePermissions({ ask: [], allow: [rule] }).decide({ ...subject, tool }).permission).toBe("allow");
  });

  test("aliases too", () => {
    const tool = { ...subject, tool: "x", aliases: ["writeFile"] };
    expect(compilePermissions({ deny: ["WRITEFILE"] }).decide(tool).permission).toBe("deny");
  });

  test("a rule in another case is not reported as unmatched", () => {
    const subjects = { tools: () => new Set(["write_file"]), sources: () => new Set<string>() };
    expect(unmatchedRule("Write_File", subjects)).toBeUndefined();
    expect(unmatchedRule("Write_Fil", subjects)).toMatchObject({ near: "write_file" });
  });

  test("disabled tools are disabled in any case", async () => {
    const engine = createEngine({ tools: [sampleTool(() => 1, { name: "Erase" })], disabledTools: ["ERASE"] });
    expect(await engine.call("Erase", {})).toMatchObject({ error: { code: "not_available" } });
    await engine.close();
  });
});
