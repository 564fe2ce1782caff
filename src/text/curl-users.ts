import type { Span } from "./find-secrets.ts";
import { quotedEnd } from "./quoted-end.ts";

const curls = /(?<![\w.-])curl(?:\.exe)?(?=[\s"'\\])/g;

/** `-u`, alone or behind flags that take no value, `--user` and their proxy forms, up to where the value starts. */
const userFlags =
  /(?<![\w-])(?:-[0-46aBfgGiIjJklLnNOpqRsSvZ#]{0,8}[uU]|--(?:proxy-)?user(?![\w-]))(?:\\{0,7}["']?[\s,=]{1,8})?(\\{0,7}["'])?/g;

const shellWord = /[^\s"']*/y;

/**
 * Adds where `name:password` stands in the commands of curl. Not in those of other programs: to docker, `-u 1000:1000` is a
 * user and a group.
 */
export function findCurlUsers(text: string, spans: Span[]): void {
  let done = 0;
  for (const { index } of text.matchAll(curls)) {
    // One command, or several on one line: looked at once.
    if (index < done) continue;
    done = commandEnd(text, index);
    findUsers(text.slice(index, done), index, spans);
  }
}

function findUsers(command: string, offset: number, spans: Span[]): void {
  userFlags.lastIndex = 0;
  for (let match = userFlags.exec(command); match !== null; match = userFlags.exec(command)) {
    const [whole, quote] = match;
    const start = match.index + whole.length;
    const end = quote === undefined ? wordEnd(command, start) : quotedEnd(command, start, quote);
    if (command.slice(start, end).includes(":")) spans.push([offset + start, offset + end]);
    userFlags.lastIndex = end;
  }
}

/** The end of the line, or of the lines where each but the last ends in a backslash. */
function commandEnd(text: string, start: number): number {
  let end = text.indexOf("\n", start);
  while (end > 0 && /\\\r?$/.test(text.slice(end - 2, end))) end = text.indexOf("\n", end + 1);
  return end < 0 ? text.length : end;
}

function wordEnd(text: string, start: number): number {
  shellWord.lastIndex = start;
  return start + (shellWord.exec(text)?.[0].length ?? 0);
}
