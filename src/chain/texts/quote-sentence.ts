/** An external text within a sentence: on one line, cut, without its final stop. */
export function quoteSentence(text: string, maxLength: number = 200): string {
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…`.toWellFormed() : line;
}
