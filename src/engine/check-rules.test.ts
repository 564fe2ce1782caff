import { afterEach, describe, expect, test, vi } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "./engine.ts";

const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
afterEach(() => void warned.mockClear());

describe("rules of deny and ask that would guard nothing", () => {
  test.each(["destructve", "model:Destructiv", "distructve", "effect_once"])(
    "%s is a misspelt word and is refused",
    (rule) => {
      for (const list of ["deny", "ask"]) {
        expect(() => createEngine({ permissions: { [list]: [rule] } })).toThrow(/guards nothing.*did you mean/);
      }
      expect(() => createEngine({ permissions: { allow: [rule] } })).not.toThrow();
    },
  );

  test.each([
    ["effct:write", "effect:once"],
    ["effct:raed", "effect:read"],
    ["modle:destructive", "model:destructive"],
    ["sorce:mcps", "source:mcps"],
  ])("%s cannot be read, and what was meant is said", (rule, near) => {
    expect(() => createEngine({ permissions: { ask: [rule] } })).toThrow(`did you mean "${near}"?`);
  });

  test("behind effect: is said what there is", () => {
    expect(() => createEngine({ permissions: { ask: ["effect:write"] } })).toThrow(/pure, read, idempotent or once/);
  });

  test("a name that is like that of a tool is warned about: it may be registered later", () => {
    const tools = [sampleTool(() => 1, { name: "send_mail" })];
    createEngine({ tools, permissions: { deny: ["send_mial"], ask: ["source:mcp"] } });
    expect(warned.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining('there is no tool "send_mial"; did you mean "send_mail"?'),
      expect.stringContaining('no tool comes from "mcp"; did you mean "source:mcps"?'),
    ]);
  });

  test.each(["destruct", "destructor", "destruction", "effect"])(
    "%s may be the name of a tool that is registered later",
    (name) => {
      const engine = createEngine({ permissions: { deny: [name] } });
      engine.tools.register(sampleTool(() => 1, { name }));
      expect(warned.mock.calls.length).toBeLessThan(2);
    },
  );

  test("names of tools that there are, other names and globs are right", () => {
    const tools = [sampleTool(() => 1, { name: "destruct", aliases: ["effects"] })];
    createEngine({ tools, permissions: { deny: ["destruct", "secret_*"], ask: ["effects", "later", "source:tools"] } });
    expect(warned).not.toHaveBeenCalled();
  });
});
