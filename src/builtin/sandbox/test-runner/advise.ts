import type { TestLanguage } from "./test-project.ts";

/** How tests are written here, for who gave none. */
export function howTo(language: TestLanguage): string {
  return language === "python"
    ? "write functions named test_…, or test cases of unittest"
    : 'write them with test() of "node:test"';
}

const noPackages = "Only what comes with the language is installed here.";
const noPytest = `pytest is not installed here; ${howTo("python")}, with assert`;
const ownImports = 'There are no global test functions here: import test, describe, it and hooks from "node:test"';

/** What other test runners have and this one has not, as its absence is told. The first that fits is meant. */
const lacks: Readonly<Record<"python" | "node", readonly (readonly [RegExp, string])[]>> = {
  python: [
    [/No module named '_?pytest\b/, `${noPytest}.`],
    [/\btest\w*\(\) missing \d+ required positional arguments?:/, `${noPytest} and without parameters.`],
    [/ModuleNotFoundError: No module named /, noPackages],
  ],
  node: [
    [/ReferenceError: (?:expect|assert|jest|vi) is not defined/, `${ownImports}, and assert from "node:assert".`],
    [
      /ReferenceError: (?:describe|it|test|suite|before|after|beforeEach|afterEach|beforeAll|afterAll) is not defined/,
      `${ownImports}.`,
    ],
    [
      /Cannot find (?:package|module) '(?:@jest\/globals|jest|vitest|mocha|chai|ava|tape|jasmine|bun:test)\b/,
      `${ownImports}, and assert from "node:assert". ${noPackages}`,
    ],
    [/Cannot find package '|Cannot find module '[^./]/, noPackages],
  ],
};

/** What to change where a message tells that tests were written for another runner, or need what is not here. */
export function advise(message: string, language: TestLanguage): string | undefined {
  return lacks[language === "python" ? "python" : "node"].find(([pattern]) => pattern.test(message))?.[1];
}
