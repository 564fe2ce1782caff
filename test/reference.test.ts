import { readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";
import { describe, expect, test } from "vitest";
import { apiModules } from "../scripts/docs/api-page.ts";
import { publicNames } from "../scripts/docs/public-names.ts";
import { readStatements } from "../scripts/docs/read-statements.ts";

/** The sections of a page by their headings, and the blocks of code in each. */
function sectionsOf(page: string): Map<string, string[]> {
  const [, ...sections] = readFileSync(`docs/reference/api/${page}`, "utf8").split(/^#{3,4} /m);
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf("\n")),
      [...section.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code),
    ]),
  );
}

/** The identifiers of a text, without its comments, in order. */
function words(code: string): string[] {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").match(/[\w$]+/g) ?? [];
}

function syntaxErrors(code: string): string[] {
  return parseSync("example.ts", `async function* example() {\n${code}\n}`).errors.map(({ message }) => message);
}

describe.each(apiModules)("[U6] the page of $name", ({ source, page }) => {
  const names = publicNames(source);
  const sections = sectionsOf(page);

  test("has the signature of every export, as the package declares it", () => {
    for (const { name, kind, declaration } of names) {
      const [signature = ""] = sections.get(name) ?? [];
      const head = words(signature)[0];
      expect({ name, head }).toEqual({ name, head: head === "abstract" ? head : kind });
      // Classes have a section per method, and long tables are shortened.
      const shown = new Set(words(signature));
      // An interface shows the members of the types that it extends.
      const own = kind === "interface" ? declaration.replace(/ extends [^{]+(?=\{)/, " ") : declaration;
      const declared = words(own).filter((word) => word !== "export" && word !== "declare");
      // Types that are derived from a table are shown with the values of the table.
      const isDerived = /\btypeof \w+Table\b/.test(own);
      const isWhole = kind !== "class" && !isDerived && !signature.includes("{ … }");
      expect({ name, missing: isWhole ? declared.filter((word) => !shown.has(word)) : [] }).toEqual({
        name,
        missing: [],
      });
    }
  });

  test("has a section for every method of a class, with its parameters", () => {
    for (const { name, kind, declaration } of names.filter((item) => item.kind === "class")) {
      const [statement] = readStatements("entry.d.ts", declaration);
      const methods = (statement?.members ?? []).filter(
        ({ node }) => node.kind === "method" && node.accessibility !== "private" && node.static !== true,
      );
      for (const method of methods.filter(({ name: own }) => own !== undefined)) {
        const [signature = ""] = sections.get(`${name}.${method.name}`) ?? [];
        expect(words(signature)).toEqual(expect.arrayContaining(words(method.signature)));
      }
      expect(kind).toBe("class");
    }
  });

  test("has the examples of the comments, which are valid TypeScript", () => {
    for (const { name, doc } of names.filter((item) => item.doc.includes("@example"))) {
      const [, ...examples] = sections.get(name) ?? [];
      expect({ name, examples: examples.length }).toEqual({ name, examples: doc.split("```ts").length - 1 });
      expect({ name, errors: examples.flatMap(syntaxErrors) }).toEqual({ name, errors: [] });
    }
  });

  test("has an example of every function, except for tools and the internals of runs", () => {
    const exempt = /\/src\/(?:builtin|run|chain\/interpreter)\//;
    const without = names.filter(
      ({ kind, doc, file }) => kind === "function" && !doc.includes("@example") && !exempt.test(file),
    );
    expect(without.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
  });
});
