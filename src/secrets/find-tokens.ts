import type { SecretSpan } from "./find-secrets.ts";
import { isSecretName } from "./secret-names.ts";

/** Text without any of these contains nothing that the patterns below could match. */
const mayHold =
  /bearer|basic|authori|cookie|passw|passphrase|pwd|secret|token|key|credential|密码|口令|密钥|令牌|凭证|:\/\/|[?&]sig|sk[-_]|rk_|gh[a-z]_|github_pat|glpat|xox|xapp|A[KS]IA|AIza|ya29|npm_|pypi-|hf_|SG\.|eyJ|PRIVATE|do[opr]_v1|whsec_|wlt_|\d{8}:|curl|otp|jwt|sess(?:ion)?[-_]?id/i;

/**
 * Tokens with a recognizable format. Every pattern either starts at a word boundary or consumes the text it scanned, so
 * that no text makes matching quadratic.
 */
const tokens =
  /(?<![A-Za-z\d])(?:sk-[\w-]{16,}|[srp]k_(?:live|test)_[A-Za-z\d]{16,}|gh[a-z]_[A-Za-z\d]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|A[KS]IA[A-Z\d]{16}|AIza[\w-]{35}|ya29\.[\w-]{20,}|npm_[A-Za-z\d]{36}|pypi-[\w-]{20,}|hf_[A-Za-z\d]{20,}|SG\.[\w-]{16,64}\.[\w-]{16,}|do[opr]_v1_[a-f\d]{32,}|whsec_[A-Za-z\d+/]{16,}={0,2}|wlt_(?:[\da-f]{12}|local)_[\w-]{43}|AGE-SECRET-KEY-[A-Z\d-]{20,})|(?<![\w.-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;

/** From the first line to the last, or to the end of the key if the text was truncated. */
const pem =
  /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,16384}(?:-----END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g;

/**
 * `123456789:AA…`, the token of a Telegram bot; in its URLs `bot` directly precedes it. A longer or shorter one is
 * another id.
 */
const botTokens = /(?:(?<![A-Za-z\d])|(?<=bot))\d{8,10}:(?=[\w-]{0,34}[A-Z])[\w-]{35}(?![\w-])/g;

const schemes = /(?<![\w-])(bearer|basic)(\s{1,8})([\w.~+/=-]{8,})/gi;

const urlUsers = /(?<![a-z\d+.-])[a-z][a-z\d+.-]{1,20}:\/\/([^\s/?#"'<>]+)@/gi;

/** Spans of secrets in a text that have a known format or a sensitive name. */
export function findTokens(text: string): SecretSpan[] {
  if (!mayHold.test(text)) return [];
  const spans: SecretSpan[] = [];
  for (const shape of [pem, botTokens]) {
    for (const match of text.matchAll(shape)) spans.push([match.index, match.index + match[0].length]);
  }
  for (const match of text.matchAll(tokens)) {
    // `sk-learn-based-something` is a word, a key has digits.
    if (/\d/.test(match[0])) spans.push([match.index, match.index + match[0].length]);
  }
  for (const match of text.matchAll(schemes)) {
    const [whole, scheme = "", , credentials = ""] = match;
    if (looksIssued(scheme, credentials)) {
      spans.push([match.index + whole.length - credentials.length, match.index + whole.length]);
    }
  }
  for (const match of text.matchAll(urlUsers)) {
    const end = match.index + match[0].length - 1;
    spans.push([end - (match[1] ?? "").length, end]);
  }
  findCurlCredentials(text, spans);
  findAssigned(text, spans);
  return spans;
}

/** "Bearer authentication" and "basic understanding" are prose. */
function looksIssued(scheme: string, credentials: string): boolean {
  if (scheme.toLowerCase() === "basic") return Buffer.from(credentials, "base64").includes(":");
  return credentials.length >= 20 || /\d|[a-z][A-Z]/.test(credentials);
}

function findAssigned(text: string, spans: SecretSpan[]): void {
  // `name=`, `name: `, `"name":"`, `\"name\":\"` and the like, up to the start of the value.
  const assignments =
    /(?<![\p{L}\d_.-])([\p{L}_][\p{L}\d_.-]{0,63})(?:\\{0,7}["'])?[^\S\n]{0,4}([:=：])[^\S\n]{0,4}(\\{0,7}["'])?/gu;
  for (let match = assignments.exec(text); match !== null; match = assignments.exec(text)) {
    const [whole, name = "", sign = "", quote = ""] = match;
    const start = match.index + whole.length;
    if (!isSecretAssignment({ text, at: match.index, start, name, sign, quoted: quote !== "" })) {
      // The value may itself be an assignment: `set=password=x`.
      assignments.lastIndex = match.index + name.length;
      continue;
    }
    const end = quote === "" ? bareEnd(text, start, isHeader(name) && sign === ":") : quotedEnd(text, start, quote);
    if (end > start) spans.push([start, end]);
    assignments.lastIndex = Math.max(end, start);
  }
}

interface Assignment {
  readonly text: string;
  readonly at: number;
  /** Start offset of the value. */
  readonly start: number;
  readonly name: string;
  readonly sign: string;
  readonly quoted: boolean;
}

function isSecretAssignment({ text, at, start, name, sign, quoted }: Assignment): boolean {
  const inQuery = sign === "=" && (text[at - 1] === "?" || text[at - 1] === "&");
  if (inQuery && /^(?:key|sig|signature|x-amz-(?:signature|credential))$/i.test(name)) return true;
  if (!isSecretName(name)) return false;
  // In prose a word and a colon introduce a sentence: "secret: it is a test".
  if (sign === "=" || quoted || !/^(?:token|secrets?|credentials?|bearer|jwt|t?otp)$/i.test(name)) return true;
  return /otp$/i.test(name) && /^\d{4,10}(?!\w)/.test(text.slice(start, start + 11));
}

function isHeader(name: string): boolean {
  return /(?:authorization|cookie)$/i.test(name);
}

const bareValue = /(?!(?:null|true|false|undefined)\b)[^\s,;&"'<>(){}[\]]*/y;
const restOfLine = /[^\r\n"']*/y;

/** The end of an unquoted value: the end of the line for a header, else the next separator. */
function bareEnd(text: string, start: number, header: boolean): number {
  const pattern = header ? restOfLine : bareValue;
  pattern.lastIndex = start;
  return start + (pattern.exec(text)?.[0].length ?? 0);
}

const curls = /(?<![\w.-])curl(?:\.exe)?(?=[\s"'\\])/g;

/** `-u`, alone or after flags without a value, `--user` and their proxy forms, up to the start of the value. */
const userFlags =
  /(?<![\w-])(?:-[0-46aBfgGiIjJklLnNOpqRsSvZ#]{0,8}[uU]|--(?:proxy-)?user(?![\w-]))(?:\\{0,7}["']?[\s,=]{1,8})?(\\{0,7}["'])?/g;

const shellWord = /[^\s"']*/y;

/**
 * Adds the spans of `name:password` in curl commands. Not in commands of other programs: to docker, `-u 1000:1000` is a
 * user and a group.
 */
function findCurlCredentials(text: string, spans: SecretSpan[]): void {
  let done = 0;
  for (const { index } of text.matchAll(curls)) {
    // One command, or several on one line: scanned once.
    if (index < done) continue;
    done = commandEnd(text, index);
    findUsers(text.slice(index, done), index, spans);
  }
}

function findUsers(command: string, offset: number, spans: SecretSpan[]): void {
  userFlags.lastIndex = 0;
  for (let match = userFlags.exec(command); match !== null; match = userFlags.exec(command)) {
    const [whole, quote] = match;
    const start = match.index + whole.length;
    const end = quote === undefined ? wordEnd(command, start) : quotedEnd(command, start, quote);
    if (command.slice(start, end).includes(":")) spans.push([offset + start, offset + end]);
    userFlags.lastIndex = end;
  }
}

/** The end of the line, or of the last line if each line before it ends in a backslash. */
function commandEnd(text: string, start: number): number {
  let end = text.indexOf("\n", start);
  while (end > 0 && /\\\r?$/.test(text.slice(end - 2, end))) end = text.indexOf("\n", end + 1);
  return end < 0 ? text.length : end;
}

function wordEnd(text: string, start: number): number {
  shellWord.lastIndex = start;
  return start + (shellWord.exec(text)?.[0].length ?? 0);
}

/**
 * End of a quoted value; the end of the text if it was truncated. The closing quote has as many backslashes as the
 * opening one, or fewer: then an outer string ends. A quote inside the value has twice as many and one more; a
 * backslash of the value is written with twice as many as the quote has.
 */
function quotedEnd(text: string, start: number, quote: string): number {
  const mark = quote.at(-1);
  let slashes = 0;
  for (let at = start; at < text.length; at++) {
    const own = slashes % (2 * quote.length);
    if (text[at] === mark && own < quote.length) return at - own;
    slashes = text[at] === "\\" ? slashes + 1 : 0;
  }
  return text.length;
}
