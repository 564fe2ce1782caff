/** Words for what is done with two numbers. */
const operators: readonly (readonly [RegExp, string])[] = [
  [/(\d)\s*[xX]\s*(?=\d)/g, "$1 * "],
  [/\bplus\b|加上?/gi, "+"],
  [/\bminus\b|减去?/gi, "-"],
  [/\b(?:times|multiplied by)\b|乘以?/gi, "*"],
  [/\bdivided by\b|除以/gi, "/"],
  [/[×·]/g, "*"],
  [/[÷]/g, "/"],
  [/[−–]/g, "-"],
  [/％/g, "%"],
  [/（/g, "("],
  [/）/g, ")"],
  [/(?<=\d),(?=\d{3}(?!\d))/g, ""],
  [/(\d+(?:\.\d+)?)\s*%\s*(?:of|的)\s*(?=\d)/gi, "($1 / 100) * "],
  [/(\d+(?:\.\d+)?)\s*的\s*(\d+(?:\.\d+)?)\s*%/g, "$1 * ($2 / 100)"],
  [/(\d+(?:\.\d+)?)\s*%(?!\s*\d)/g, "($1 / 100)"],
];

const functions = "sqrt|abs|round|floor|ceil|min|max|pow|sin|cos|tan|log|ln|exp";
const run = new RegExp(
  `(?:\\d+(?:\\.\\d+)?|[-+*/^%()]|\\b(?:${functions})\\(|(?<=\\d\\s*),(?=\\s*\\d)|[^\\S\\n])+`,
  "g",
);
/** Two numbers and something between them, or a function of one. */
const isCalculation = new RegExp(
  `\\d\\s*\\)*\\s*[-+*/^%]\\s*[-(]*\\s*(?:\\d|(?:${functions})\\()|(?:${functions})\\(\\s*-?\\d`,
);
/** Dates, telephone numbers and the like. */
const isOther = /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\/\d{1,2}\/\d{2,4}|\d-\d+-\d|\b0\d/;

/** More of a text is not searched, and nobody writes a longer calculation. */
const longest = 4000;

/**
 * The calculation in a text, with signs that calculators know: `12 × 3` and `12 times 3` are `12 * 3`, `15% of 240` is
 * `(15 / 100) * 240`. The longest where there are several; undefined where there is none.
 */
export function findExpression(text: string): string | undefined {
  let plain = text.slice(0, longest);
  for (const [pattern, sign] of operators) plain = plain.replaceAll(pattern, sign);
  const found = (plain.match(run) ?? [])
    .map(balanced)
    .filter((candidate) => isCalculation.test(candidate) && !isOther.test(candidate));
  return found.toSorted((a, b) => b.length - a.length)[0];
}

/** Without signs at the ends that belong to the text around it, and without brackets that nothing closes. */
function balanced(candidate: string): string {
  let text = candidate.trim().replace(/^[*/^%),\s]+|[-+*/^(,\s]+$/g, "");
  // The sign of a list.
  text = text.replace(/^[-+]\s+/, "");
  let open = 0;
  for (const sign of text) open += sign === "(" ? 1 : sign === ")" ? -1 : 0;
  while (open > 0 && text.startsWith("(")) [text, open] = [text.slice(1).trim(), open - 1];
  while (open < 0 && text.endsWith(")")) [text, open] = [text.slice(0, -1).trim(), open + 1];
  return open === 0 ? text : "";
}
