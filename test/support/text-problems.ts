import type { CodedTexts } from "../../src/text/index.ts";

/** At least one set of parameters for each code. */
export type Examples<Params> = { readonly [Code in keyof Params]: readonly [Params[Code], ...Params[Code][]] };

type AnyTexts = CodedTexts<Record<string, object>>;

/**
 * The differences between the English and the Chinese texts: each code has one of both, with the same parameters and
 * quoted values. The texts of `verbatim` consist of their parameters.
 */
export function textProblems<Params>(
  { en, zh }: { readonly en: CodedTexts<Params>; readonly zh: CodedTexts<Params> },
  examples: Examples<Params>,
  verbatim: readonly (keyof Params & string)[] = [],
): string[] {
  const problems: string[] = [];
  const codes = new Set([...Object.keys(examples), ...Object.keys(en), ...Object.keys(zh)]);
  for (const code of codes) {
    const [english, chinese] = [(en as AnyTexts)[code], (zh as AnyTexts)[code]];
    const all = (examples as Readonly<Record<string, readonly object[]>>)[code];
    if (english === undefined || chinese === undefined || all === undefined) {
      problems.push(`${code}: no text or no example`);
      continue;
    }
    const isTranslated = !(verbatim as readonly string[]).includes(code);
    for (const params of all) {
      const texts = { en: readText(english, params), zh: readText(chinese, params) };
      problems.push(...differences(texts, params, isTranslated).map((problem) => `${code}: ${problem}`));
    }
  }
  return problems;
}

interface ReadText {
  readonly text: string;
  /** The names of the parameters that it reads. */
  readonly names: string;
}

function readText(render: (params: object) => string, params: object): ReadText {
  const names = new Set<string>();
  const seen = new Proxy(params, {
    get: (target, key, receiver): unknown => {
      names.add(String(key));
      return Reflect.get(target, key, receiver);
    },
  });
  const text = render(seen);
  return { text, names: [...names].toSorted().join(", ") };
}

function differences({ en, zh }: { en: ReadText; zh: ReadText }, params: object, isTranslated: boolean): string[] {
  const han = /\p{Script=Han}/u;
  const values = valuesIn(params).filter((value) => en.text.includes(value) !== zh.text.includes(value));
  return [
    ...(en.names === zh.names ? [] : [`reads ${en.names}, and in Chinese ${zh.names}`]),
    ...[en.text, zh.text].filter((text) => /undefined|\[object|^$/.test(text)),
    ...(han.test(en.text) || han.test(zh.text) !== isTranslated ? [`${en.text} / ${zh.text}`] : []),
    ...values.map((value) => `${value} is quoted in one language only`),
  ];
}

/** Texts at any depth that are long enough to be recognized; not the words of enumerations, which have texts. */
function valuesIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.length > 8 ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  const isWord = (key: string, item: unknown): boolean =>
    ["status", "reason"].includes(key) && typeof item === "string" && /^[a-z_]+$/.test(item);
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) => (isWord(key, item) ? [] : valuesIn(item)));
}
