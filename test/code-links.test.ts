import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import layers from "../layers.json" with { type: "json" };
import { apiModules } from "../scripts/docs/api-page.ts";
import { brokenLinks, withMovedLinks } from "../scripts/docs/code-links.ts";
import { type PublicName, publicNames } from "../scripts/docs/public-names.ts";
import { guidePages, proseOf } from "./support/pages.ts";

describe("links to code", () => {
  test("of ARCHITECTURE.md lead to a file that declares the names before the link", () => {
    const text = proseOf("ARCHITECTURE.md");
    expect(brokenLinks(text)).toEqual([]);
    expect(text.match(/` in \[src/g)?.length).toBeGreaterThan(80);
  });

  test("are broken if the file or the name is wrong", () => {
    const call = "[src/engine/call.ts](src/engine/call.ts)";
    expect(brokenLinks(`\`Call\`, \`Call.#permit\` in ${call}; \`Call.abort\`\nin ${call}`)).toEqual([]);
    expect(brokenLinks(`\`Call.#permits\`, \`Call.run\` in ${call}`)).toEqual([
      "src/engine/call.ts does not declare Call.#permits",
    ]);
    expect(brokenLinks(`see ${call}`)).toEqual(["src/engine/call.ts is linked without a name"]);
    expect(brokenLinks("`Call` in [call](src/engine/calls.ts)")).toEqual(["src/engine/calls.ts does not exist"]);
  });

  test("follow a name that only one other file declares", () => {
    const moved = "`Call`, `Call.abort` in [src/call.ts](src/call.ts)";
    expect(withMovedLinks(moved)).toBe(moved.replaceAll("src/call.ts", "src/engine/call.ts"));
    expect(withMovedLinks("`Call.nothing` in [src/call.ts](src/call.ts)")).toContain("(src/call.ts)");
  });

  test.each(["AGENTS.md", "CONTRIBUTING.md"])("and paths in %s exist", (page) => {
    const named = readFileSync(page, "utf8").matchAll(
      /`((?:src|test|scripts|docs|bench|examples)\/[^`\s]*)`|\]\(([^)#\s:]+)(?:#[^)]*)?\)/g,
    );
    const paths = [...named].map(([, code, link]) => code ?? link ?? "").filter((path) => !path.includes("NAME"));
    // The tool of the recipe is the only file that is not there yet.
    expect(paths.filter((path) => globSync(path).length === 0)).toEqual(
      page === "AGENTS.md" ? [] : ["src/builtin/repeat-text-tool.ts"],
    );
    expect(paths.length).toBeGreaterThan(20);
  });
});

describe("the comment at the top of a layer", () => {
  test.each(layers.map(({ folder }) => folder))(
    "%s says what belongs there, what must stay true and how to test it",
    (folder) => {
      // A layer that no other one imports has no index.
      const file = existsSync(`src/${folder}/index.ts`) ? `src/${folder}/index.ts` : `src/${folder}/start-program.ts`;
      const [, comment = ""] = /^\/\*\*\n([\s\S]*?)\n \*\/\n\n/.exec(readFileSync(file, "utf8")) ?? [];
      expect(comment).toMatch(/^ \* Belongs here: /m);
      expect(comment).toMatch(/^ \* Must stay true: /m);
      const [, command = ""] = /^ \* Test: `(.+)`$/m.exec(comment) ?? [];
      const paths = command.match(/\b(?:src|test|scripts)\/\S+/g) ?? [];
      expect(paths.length).toBeGreaterThan(0);
      expect(paths.filter((path) => globSync(`${path}*`).length === 0)).toEqual([]);
    },
  );
});

describe("the comment of a main export", () => {
  const exported = new Map(apiModules.flatMap(({ source }) => publicNames(source)).map((item) => [item.name, item]));
  const guides = ["README.md", ...guidePages].map((page) => readFileSync(page, "utf8"));

  /** Every class, and every function that a guide names or imports. */
  const isMain = ({ kind, name }: PublicName): boolean => {
    const use = new RegExp(`\`${name}[(\`<]|import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from "windlass`);
    return kind === "class" || (kind === "function" && guides.some((guide) => use.test(guide)));
  };

  test("links its guide page, which exists", () => {
    const main = [...exported.values()].filter(isMain);
    const unlinked = main.filter(({ doc }) => {
      const [, page = ""] = /^@see (docs\/(?:guide|how-to)\/\S+\.md)$/m.exec(doc) ?? [];
      return !existsSync(page);
    });
    expect(unlinked.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
    expect(main.length).toBeGreaterThan(60);
  });
});
