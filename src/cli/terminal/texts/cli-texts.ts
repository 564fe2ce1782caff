import type { Language } from "../../../text/index.ts";
import { chinese } from "./chinese.ts";
import { type CliTextTable, english } from "./english.ts";

/** The texts of the CLI by language. */
export const cliTexts: Readonly<Record<Language, CliTextTable>> = { en: english, zh: chinese };
