import { globSync, readFileSync } from "node:fs";

/** A block of code on a page of the docs. */
export interface Snippet {
  readonly page: string;
  /** The page and the number of the block among those of its language. */
  readonly name: string;
  readonly code: string;
}

const isChinese = (page: string): boolean => page.endsWith(".zh-CN.md");

/** The guides and how-tos in English. */
export const guidePages: readonly string[] = globSync("docs/{guide,how-to}/**/*.md")
  .filter((page) => !isChinese(page))
  .toSorted();

/** The pages in Chinese. A test compares their code with the English pages, so it is executed once. */
export const chinesePages: readonly string[] = globSync(["*.md", "docs/**/*.md"]).filter(isChinese).toSorted();

/** The pages whose code is executed: the READMEs, guides and how-tos. */
export const taughtPages: readonly string[] = ["README.md", "README.zh-CN.md", ...guidePages];

/** The blocks of code of a page in some languages, such as `js|ts`. */
export function blocksOf(page: string, languages: string): string[] {
  const blocks = readFileSync(page, "utf8").matchAll(new RegExp(`^\`\`\`(?:${languages})\\n([\\s\\S]*?)^\`\`\``, "gm"));
  return [...blocks].map(([, code = ""]) => code);
}

/** A page without its blocks of code. */
export function proseOf(page: string): string {
  return readFileSync(page, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
}

/** The blocks of code of several pages. */
export function snippetsOf(pages: readonly string[], languages: string): Snippet[] {
  return pages.flatMap((page) =>
    blocksOf(page, languages).map((code, index) => ({ page, name: `${page} #${index + 1}`, code })),
  );
}

/** The path of the file that a block shows: in a comment in its first line, or in the first one of its front matter. */
export function pathOf(code: string): string | undefined {
  return /^(?:---\n)?(?:#|\/\/|<!--) (\S+\.\w+)(?: -->)?\n/.exec(code)?.[1];
}

/** The files that a page shows, by their paths. */
export function filesOf(page: string): Record<string, string> {
  const named = blocksOf(page, "yaml|js|ts|jsonc|markdown").flatMap((code) => {
    const path = pathOf(code);
    return path === undefined ? [] : [[path, code] as const];
  });
  return Object.fromEntries(named);
}

/** A command of a page. */
export interface Command {
  readonly line: string;
  /** Output that the page shows below it; `…` stands for anything. */
  readonly shown: readonly string[];
}

/** The commands of a page whose output it shows. */
export function commandsOf(page: string): Command[] {
  return blocksOf(page, "console").flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [line = "", ...shown] = part.trimEnd().split("\n");
        return { line, shown };
      }),
  );
}
