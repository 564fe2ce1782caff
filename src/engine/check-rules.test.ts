import { afterEach, describe, expect, test, vi } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "./engine.ts";

const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
afterEach(() => void warned.mockClear());

describe("rules of `deny` and `ask` that would match no tool", () => {
  test.each(["destructve", "model:Destructiv", "distructve", "effect_once"])(
    "%s is a misspelled word and is refused",
    (rule) => {
      for (const list of ["deny", "ask"]) {
        expect(() => createEngine({ permissions: { [list]: [rule] } })).toThrow(/matches no tool.*did you mean/);
      }
      expect(() => createEngine({ permissions: { allow: [rule] } })).not.toThrow();
    },
  );

  test.each([
    ["effct:write", "effect:once"],
    ["effct:raed", "effect:read"],
    ["modle:destructive", "model:destructive"],
    ["sorce:mcps", "source:mcps"],
  ])("%s is invalid, and the message suggests a correction", (rule, near) => {
    expect(() => createEngine({ permissions: { ask: [rule] } })).toThrow(`did you mean "${near}"?`);
  });

  test("an invalid effect: is reported with the valid effects", () => {
    expect(() => createEngine({ permissions: { ask: ["effect:write"] } })).toThrow(/pure, read, idempotent or once/);
  });

  test("a name similar to that of a tool produces a warning: it may be registered later", () => {
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

  test("names of existing tools, dissimilar names and globs are accepted", () => {
    const tools = [sampleTool(() => 1, { name: "destruct", aliases: ["effects"] })];
    createEngine({ tools, permissions: { deny: ["destruct", "secret_*"], ask: ["effects", "later", "source:tools"] } });
    expect(warned).not.toHaveBeenCalled();
  });
});
