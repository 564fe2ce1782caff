import type { JsonOutput } from "../schema/index.ts";
import { type InputFor, type ToolFor, defineTool } from "../tool/index.ts";
import { calculate, maxExpressionLength } from "./calculator/calculate.ts";

const input = {
  type: "object",
  properties: {
    // The calculator itself refuses expressions that are too long or empty; its failures have a reason and a
    // position.
    expression: {
      type: "string",
      description: `For example "2 * (3 + x)"; at most ${maxExpressionLength} characters.` as string,
      examples: ["2*(3+4)"],
    },
    variables: {
      type: "object",
      additionalProperties: { type: "number" },
      description: 'Numbers for the names in the expression, for example { "x": 4 }.',
    },
  },
  required: ["expression"],
  additionalProperties: false,
  examples: [{ expression: "2*(3+4)" }, { expression: "round(price * 1.19, 2)", variables: { price: 49.9 } }],
} as const;

/** Input of `calculator`. */
export type CalculatorInput = InputFor<typeof input>;

const output = {
  type: "object",
  properties: { result: { type: "number" }, expression: { type: "string" } },
  required: ["result", "expression"],
} as const;

/** Output of `calculator`. */
export type CalculatorOutput = JsonOutput<typeof output>;

/** The tool `calculator`: arithmetic with exact decimals. */
export const calculatorTool: ToolFor<typeof input, CalculatorOutput> = defineTool({
  name: "calculator",
  description:
    "Computes an arithmetic expression. Operators: + - * / // (floored division) % (remainder) ^ or ** (power) ! " +
    "(factorial) and parentheses; write every multiplication with *. Functions: abs sqrt cbrt exp ln log (base 10, or " +
    "log(x, base)) log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh (radians) floor ceil trunc round(x, " +
    "digits) sign min max sum mean hypot pow mod gcd lcm factorial. Constants: pi e tau phi.",
  displayName: "Calculator",
  category: "data",
  aliases: ["calculate"],
  tags: ["math"],
  capabilities: ["calculate", "计算"],
  effect: "pure",
  core: 4,
  input,
  output,
  run: ({ expression, variables }) => ({ result: calculate(expression, variables), expression }),
});
