/** Written for servers that want a key and look at none. As secrets they would be missing from every text. */
const placeholders: ReadonlySet<string> = new Set(
  "dummy empty local lm-studio no-key none not-needed null ollama sk-no-key-required test unused vllm xxxx".split(" "),
);

/** Does this only stand where a secret is wanted? */
export function isPlaceholder(secret: string): boolean {
  return placeholders.has(secret.trim().toLowerCase());
}

/** Is a secret of this kind looked for, and surely met where nobody speaks of it: a user's name, a short number? */
export function isOrdinaryWord(secret: string): boolean {
  const word = secret.trim();
  if (word.length < 4 || isPlaceholder(word)) return false;
  return word.length < 6 || /^\p{Lu}?\p{Ll}{5,11}$/u.test(word);
}
