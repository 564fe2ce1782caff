import type { TestLanguage } from "./test-project.ts";

/** Returns how tests are written here, for a request without tests. */
export function testGuide(language: TestLanguage): string {
  return language === "python"
    ? "write functions named test_…, or test cases of unittest"
    : 'write them with test() of "node:test"';
}

const noPackages = "Only the standard library of the language is installed here.";
const noPytest = `pytest is not installed here; ${testGuide("python")}, with assert`;
const importAdvice = 'There are no global test functions here: import test, describe, it and hooks from "node:test"';

/** Features of other test runners that are missing here, by their error messages. The first match applies. */
const lacks: Readonly<Record<"python" | "node", readonly (readonly [RegExp, string])[]>> = {
  python: [
    [/No module named '_?pytest\b/, `${noPytest}.`],
    [/\btest\w*\(\) missing \d+ required positional arguments?:/, `${noPytest} and without parameters.`],
    [/ModuleNotFoundError: No module named /, noPackages],
  ],
  node: [
    [/ReferenceError: (?:expect|assert|jest|vi) is not defined/, `${importAdvice}, and assert from "node:assert".`],
    [
      /ReferenceError: (?:describe|it|test|suite|before|after|beforeEach|afterEach|beforeAll|afterAll) is not defined/,
      `${importAdvice}.`,
    ],
    [
      /Cannot find (?:package|module) '(?:@jest\/globals|jest|vitest|mocha|chai|ava|tape|jasmine|bun:test)\b/,
      `${importAdvice}, and assert from "node:assert". ${noPackages}`,
    ],
    [/Cannot find package '|Cannot find module '[^./]/, noPackages],
  ],
};

/**
 * Returns advice if a message shows that tests were written for another runner, or need something that is missing here.
 */
export function adviseOnFailure(message: string, language: TestLanguage): string | undefined {
  return lacks[language === "python" ? "python" : "node"].find(([pattern]) => pattern.test(message))?.[1];
}
