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
    ${code}
    console.log(JSON.stringify([...loaded].toSorted()));`;
  const output = execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  return JSON.parse(output) as string[];
}

const imported = `
  const { fromJsonSchema } = await import("./src/schema/index.ts");
  const { defineTool, toOpenAITools } = await import("./src/tool/index.ts");
  const tool = (json) => defineTool({ name: "t", description: "d", input: fromJsonSchema(json), run: () => 1 });
`;

test("defining and describing tools loads no validator, pattern engine or schema library", () => {
  const code = `${imported} toOpenAITools([tool({ type: "object", properties: { a: { type: "string" } } })]);`;
  const heavy = new Set(["ajv", "re2js", "zod", "arktype", "valibot", "yaml", "undici", "chokidar"]);
  expect(packagesLoadedBy(code).filter((name) => heavy.has(name))).toEqual([]);
});

test("patterns load their engine when they are checked, validation its compiler when it needs it", () => {
  const pattern = `${imported} tool({ type: "object", properties: { a: { pattern: "a|b" } } });`;
  expect(packagesLoadedBy(pattern)).toContain("re2js");
  expect(packagesLoadedBy(pattern)).not.toContain("ajv");
  const validated = `${imported} tool({ type: "object", properties: { a: { anyOf: [{}] } } }).input.validate({});`;
  expect(packagesLoadedBy(validated)).toContain("ajv");
  expect(packagesLoadedBy(validated)).not.toContain("re2js");
});

test("a value that matches a plain schema is validated without the compiler; only issues need it", () => {
  const plain = `${imported} const { input } = tool({ type: "object", properties: { a: { type: "string", default: "x" } } });`;
  expect(packagesLoadedBy(`${plain} input.validate({});`)).not.toContain("ajv");
  expect(packagesLoadedBy(`${plain} input.validate({ a: 1 });`)).toContain("ajv");
});

test("a plain pattern is checked and matched without the pattern engine", () => {
  const code = `${imported} tool({ type: "object", properties: { a: { pattern: "^https?://" } } }).input.validate({ a: "x" });`;
  expect(packagesLoadedBy(code)).not.toContain("re2js");
});
