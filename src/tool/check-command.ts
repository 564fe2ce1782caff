import { basename } from "node:path";
import { type FileReport, type JsonSchema, isYamlMap } from "../schema/index.ts";
import { type EntryTemplate, type TemplateReference, referencesIn } from "./entry-template.ts";

/** A command with its references. */
export interface CommandWords {
  readonly program: string;
  readonly args: readonly EntryTemplate[];
  readonly parameters: JsonSchema;
}

/** Options of programs that take code as their value, by the name of the program. */
const codeOptions: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:ba|da|k|z|a|fi|mk)?sh$/, /^-[a-z]*c$/],
  [/^(?:cmd|command)$/, /^\/[ck]$/i],
  [/^(?:powershell|pwsh)$/, /^-(?:c|command|e|ec|encodedcommand)$/i],
  [/^(?:node|bun)$/, /^(?:-[a-z]*[ep]|--eval|--print)$/],
  [/^deno$/, /^eval$/],
  [/^(?:python|pypy)$/, /^-[a-z]*c$/i],
  [/^perl$/, /^-[a-z]*e$/i],
  [/^(?:ruby|lua|osascript|rscript|julia)$/, /^-e$/],
  [/^php$/, /^-r$/],
];

/** Shells: their arguments after the code are never options. */
const shell = /^(?:ba|da|k|z|a|fi|mk)?sh$/;

/** An option and its code in one argument. */
const codeInOption = /^--(?:eval|print|command)=/;

/**
 * Warns about values of a caller that a program would execute as code, or take for an option: `sort` writes a file with
 * `--output=…`.
 */
export function checkCommand({ program, args, parameters }: CommandWords, report: FileReport): void {
  const words = [program, ...args.map(literalOf)];
  const code = findCode(words);
  const firstArgument = Math.min(
    ...[words.indexOf("--"), code?.isShell === true ? code.at : -1].filter((at) => at > 0),
  );
  for (const [index, template] of args.entries()) {
    const found = referencesIn({ template }).find(({ root }) => root === "input");
    if (found === undefined) continue;
    const [first] = template;
    const detail = { severity: "warning", within: found.source } as const;
    const at = index + 1;
    if (at === code?.at || (typeof first === "string" && codeInOption.test(first))) {
      const message = `${found.source}: ${program} executes this argument as code, so a caller can run anything`;
      const hint = 'pass the value through "stdin" or "env", or as an argument of its own';
      report.add("code_injection", ["entry", "command", at], [message, { ...detail, hint }]);
    } else if (first === found && at < firstArgument && mayBeOption(found, parameters)) {
      const message = `${found.source}: a value that starts with - is an option to most programs`;
      const hint = 'put "--" before it, or write it into the option: "--name=${input.name}"';
      report.add("option_injection", ["entry", "command", at], [message, { ...detail, hint }]);
    }
  }
}

/** The argument that an interpreter executes; another program may start it, as in `env sh -c …`. */
function findCode(words: readonly string[]): { readonly at: number; readonly isShell: boolean } | undefined {
  for (const [start, word] of words.entries()) {
    const name = programName(word);
    const options = codeOptions.filter(([program]) => program.test(name));
    const at = words.findIndex((one, index) => index > start && options.some(([, option]) => option.test(one)));
    if (at !== -1) return { at: at + 1, isShell: shell.test(name) };
  }
  return undefined;
}

/** `python` of `/usr/bin/python3.12`. */
function programName(word: string): string {
  const name = basename(word.replaceAll("\\", "/")).toLowerCase();
  return name.replace(/\.exe$/, "").replace(/[\d.]+$/, "");
}

function literalOf([first, ...rest]: EntryTemplate): string {
  return typeof first === "string" && rest.length === 0 ? first : "";
}

/** Numbers and choices cannot start an option. */
function mayBeOption({ path }: TemplateReference, { properties }: JsonSchema): boolean {
  const own = isYamlMap(properties) ? properties[String(path[0])] : undefined;
  if (!isYamlMap(own) || path.length > 1) return true;
  const choices = Array.isArray(own["enum"]) ? own["enum"] : undefined;
  if (choices !== undefined) return choices.some((choice) => String(choice).startsWith("-"));
  return !["integer", "number", "boolean"].includes(String(own["type"]));
}
