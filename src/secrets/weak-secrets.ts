/** Values for servers that require a key and ignore it. As secrets they would be redacted from every text. */
const placeholders: ReadonlySet<string> = new Set(
  "dummy empty local lm-studio no-key none not-needed null ollama sk-no-key-required test unused vllm xxxx".split(" "),
);

/** True if this is only a placeholder for a secret. */
export function isPlaceholder(secret: string): boolean {
  return placeholders.has(secret.trim().toLowerCase());
}

/** True if a secret is searched for and likely occurs in unrelated text: a user name, a short number. */
export function isWeakSecret(secret: string): boolean {
  const word = secret.trim();
  if (word.length < 4 || isPlaceholder(word)) return false;
  return word.length < 6 || /^\p{Lu}?\p{Ll}{5,11}$/u.test(word);
}
