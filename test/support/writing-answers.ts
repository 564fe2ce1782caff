import { createPromptSender } from "../../src/builtin/writing/prompt-sender.ts";
import { readWritingFile } from "../../src/builtin/writing/read-writing-file.ts";

const file = (path: string, content: string): object => ({ path, content });

const code = {
  language: "typescript",
  files: [file("leap-year.ts", "export const isLeapYear = (year: number): boolean => year % 4 === 0;\n")],
  tests: [file("leap-year.test.ts", 'import { isLeapYear } from "./leap-year.ts";\n')],
  notes: "node --test",
};

/** Plausible answers of a model to the prompts of the writing tools. */
export const writingAnswers: Readonly<Record<string, unknown>> = {
  llm_summarize: "Tide mills store the flood and use it at the ebb [1].",
  llm_design: {
    summary: "One pure function.",
    components: [{ name: "leap-year", responsibility: "Tells leap years from others." }],
  },
  code_generator: code,
  code_reviewer: {
    issues: [{ severity: "high", file: "leap-year.ts", line: 1, message: "1900 counts as a leap year." }],
    summary: "The rule of centuries is missing.",
    approved: false,
  },
  code_fixer: {
    files: [
      file(
        "leap-year.ts",
        "export const isLeapYear = (y: number): boolean => y % 4 === 0 && (y % 100 !== 0 || y % 400 === 0);\n",
      ),
    ],
    changes: ["Centuries are leap years only where 400 divides them."],
  },
  outline_generator: {
    title: "Tide mills",
    sections: [{ heading: "How they worked", points: ["They stored the flood."] }],
  },
  content_writer: "# Tide mills\n\nThey stored the flood and used it at the ebb.",
  content_reviewer: { score: 6, feedback: "Say why they disappeared.", problems: ["It ends too early."] },
  content_reviser: "# Tide mills\n\nThey stored the flood and used it at the ebb. Steam was cheaper.",
};

/** The tool that sends the request, by the system message of its built-in prompt. */
export function requestTool(system: string): string {
  const sender = createPromptSender({});
  const found = Object.keys(writingAnswers).find((tool) =>
    system.startsWith(readWritingFile(tool, sender).prompt.system.trim()),
  );
  if (found === undefined) throw new Error(`no writing tool asks like this: ${system.slice(0, 80)}`);
  return found;
}
