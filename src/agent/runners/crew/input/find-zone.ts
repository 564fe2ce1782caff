/** Places whose time people ask for by name. */
const zones: readonly (readonly [RegExp, string])[] = [
  [/\b(?:utc|gmt)\b|世界时|格林/i, "UTC"],
  [/\b(?:beijing|shanghai|china)\b|北京|上海|中国/i, "Asia/Shanghai"],
  [/\bhong kong\b|香港/i, "Asia/Hong_Kong"],
  [/\btaipei\b|台北/i, "Asia/Taipei"],
  [/\b(?:tokyo|japan)\b|东京|日本/i, "Asia/Tokyo"],
  [/\bseoul\b|首尔|韩国/i, "Asia/Seoul"],
  [/\bsingapore\b|新加坡/i, "Asia/Singapore"],
  [/\b(?:delhi|mumbai|india)\b|印度|孟买|德里/i, "Asia/Kolkata"],
  [/\bdubai\b|迪拜/i, "Asia/Dubai"],
  [/\bmoscow\b|莫斯科/i, "Europe/Moscow"],
  [/\bberlin\b|柏林/i, "Europe/Berlin"],
  [/\bparis\b|巴黎/i, "Europe/Paris"],
  [/\blondon\b|伦敦/i, "Europe/London"],
  [/\bnew york\b|纽约/i, "America/New_York"],
  [/\bchicago\b|芝加哥/i, "America/Chicago"],
  [/\b(?:los angeles|san francisco|california)\b|洛杉矶|旧金山|加州/i, "America/Los_Angeles"],
  [/\bsydney\b|悉尼/i, "Australia/Sydney"],
];

const named = /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/;

/** The time zone that a text names, by its own name or by a place in it. */
export function findZone(text: string): string | undefined {
  const zone = named.exec(text)?.[0];
  return zone !== undefined && isZone(zone) ? zone : zones.find(([place]) => place.test(text))?.[1];
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
