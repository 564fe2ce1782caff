import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** The packages that a piece of code loads, in a separate process. */
function packagesLoadedBy(code: string): string[] {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
        if (name !== undefined) loaded.add(name);
        return next(url, context);
      },
    });
    const { compileSelect, compileValue } = await import("./src/expr/index.ts");
    ${code}
    console.log(JSON.stringify([...loaded].toSorted()));`;
  const output = execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  return JSON.parse(output) as string[];
}

const heavy = ["ajv", "json-p3", "re2js", "yaml", "zod"];

test("expressions and plain paths load no large package; filters and patterns load what they need", () => {
  const plain = `compileSelect("$.a['b'][0][*].c").select({}); compileValue("\${input.a}", { missing: "drop" });`;
  const loaded = packagesLoadedBy(plain);
  expect(heavy.filter((name) => loaded.includes(name))).toEqual([]);
  const filtered = packagesLoadedBy('compileSelect("$[?@.a]");');
  expect(filtered).toContain("json-p3");
  expect(filtered).not.toContain("re2js");
  expect(packagesLoadedBy(`compileSelect("$[?match(@.a, 'b')]");`)).toContain("re2js");
});
