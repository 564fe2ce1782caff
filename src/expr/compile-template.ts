import { evaluator } from "./compile-expression.ts";
import { compiler } from "./compile-node.ts";
import { namePathOf } from "./compile-path.ts";
import { ExpressionError } from "./expression-error.ts";
import { type Code, type Evaluation, Frame, checkLength, spendText } from "./frame.ts";
import { parseExpression } from "./parse-expression.ts";
import { type Reference, referencesOf } from "./reference.ts";
import type { Scope } from "./scope.ts";
import { SecretHandle, refuseSecrets, secretName } from "./secret-handle.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import { writeText } from "./write-text.ts";

/** A compiled text that may hold `${…}`. */
export interface Template {
  readonly text: string;
  /** There is no `${…}` in it, and its value is always {@link literal}. */
  readonly constant: boolean;
  /** The value of a constant text: `$${` has become `${`. */
  readonly literal: string | undefined;
  /** The text is one `${…}`: its value keeps its type, and may be missing. */
  readonly whole: boolean;
  /** Its evaluation may throw. */
  readonly mayFail: boolean;
  readonly references: readonly Reference[];
  /** The names of the secrets it passes on. */
  readonly secrets: readonly string[];
  /** The value, as JSON data, or `missing` when whole; throws an `ExpressionError` where there is none. */
  readonly evaluate: (scope: Scope, evaluation?: Evaluation) => unknown;
}

/**
 * Compiles a text that may hold `${…}`. Throws an `ExpressionError`.
 *
 * @example
 * ```ts
 * compileTemplate("${input.n}").evaluate({ input: { n: 3 } }); // 3
 * compileTemplate("n is ${input.n}").evaluate({ input: { n: 3 } }); // "n is 3"
 * ```
 */
export function compileTemplate(text: string): Template {
  const parts = readParts(text);
  const [first = ""] = parts;
  if (parts.length <= 1) return typeof first === "string" ? constantTemplate(text, first) : wholeTemplate(text, first);
  const references = parts.flatMap((part) => (typeof part === "string" ? [] : referencesOf(part, text)));
  refuseSecrets(references);
  return {
    text,
    constant: false,
    literal: undefined,
    whole: false,
    mayFail: true,
    references,
    secrets: [],
    evaluate: interpolate(parts, text),
  };
}

function constantTemplate(text: string, literal: string): Template {
  const form = { text, constant: true, literal, whole: false, mayFail: false } as const;
  return { ...form, references: [], secrets: [], evaluate: () => literal };
}

function wholeTemplate(text: string, node: SyntaxNode): Template {
  const references = referencesOf(node, text);
  const form = {
    text,
    constant: false,
    literal: undefined,
    whole: true,
    mayFail: namePathOf(node) === undefined,
    references,
  };
  const secret = secretName(node);
  if (secret !== undefined) {
    const handle = new SecretHandle(secret);
    return { ...form, secrets: [secret], evaluate: () => handle };
  }
  refuseSecrets(references);
  return { ...form, secrets: [], evaluate: evaluator(node, text) };
}

/** The literal texts and the expressions of a template, none of the texts empty. */
function readParts(text: string): (string | SyntaxNode)[] {
  const parts: (string | SyntaxNode)[] = [];
  let literal = "";
  let from = 0;
  for (let open = text.indexOf("${"); open !== -1; open = text.indexOf("${", from)) {
    if (open > from && text[open - 1] === "$") {
      literal += `${text.slice(from, open - 1)}\${`;
      from = open + 2;
      continue;
    }
    literal += text.slice(from, open);
    if (literal !== "") parts.push(literal);
    literal = "";
    const { node, end } = parseExpression(text, { start: open + 2, inTemplate: true });
    if (text[end] !== "}") throw unclosed(open, end);
    parts.push(node);
    from = end + 1;
  }
  literal += text.slice(from);
  if (literal !== "") parts.push(literal);
  return parts;
}

function unclosed(at: number, end: number): ExpressionError {
  return new ExpressionError("syntax", "the ${ is not closed", {
    at,
    end,
    hint: "add a }, or write $${ for a plain ${",
  });
}

/** Values become text here, and text is never read again: what a value says in `${…}` stays what it says. */
function interpolate(parts: readonly (string | SyntaxNode)[], text: string): Template["evaluate"] {
  const whole = { at: 0, end: text.length };
  const { needing } = compiler(text);
  const codes = parts.map((part): string | Code => {
    if (typeof part === "string") return part;
    const code = needing(part);
    return (frame) => writeText(code(frame), frame, part);
  });
  return (scope, evaluation) => {
    const frame = new Frame(scope, evaluation);
    let result = "";
    for (const code of codes) {
      const part = typeof code === "string" ? code : String(code(frame));
      spendText(frame, part.length, whole);
      checkLength(result.length + part.length, whole);
      result += part;
    }
    return result;
  };
}
