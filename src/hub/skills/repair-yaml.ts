/** The value of a key at the left edge, where it stands on one line without quotes. */
const plainValue = /(?<=^(?:name|description|license|compatibility):[ \t]{1,8})(?![|>"'\s]).*\S/gm;

/**
 * The same YAML with quotes around the one-line texts of its own keys, where one of them could not be read without:
 * `description: Use it when: …` has a second colon. Undefined where there is nothing to quote.
 */
export function repairYaml(yaml: string): string | undefined {
  const quoted = yaml.replace(plainValue, (value) => `'${value.replaceAll("'", "''")}'`);
  return quoted === yaml ? undefined : quoted;
}
