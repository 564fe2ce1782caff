/**
 * An address without the user name and password that it may carry, for whatever is shown, kept or passed on. What
 * carries none stays as it is, also where it is no address at all.
 *
 * @example
 * ```ts
 * withoutCredentials("https://me:secret@example.com/a"); // "https://example.com/a"
 * ```
 */
export function withoutCredentials(address: string): string {
  // Every address that carries some has this sign.
  if (!address.includes("@")) return address;
  const url = URL.parse(address);
  if (url === null) return address.replace(unparsed, "$1");
  if (url.username === "" && url.password === "") return address;
  url.username = "";
  url.password = "";
  return url.href;
}

/** What looks like a user and a password in an address that is not quite one. */
const unparsed = /^(\s*(?:[a-z][a-z0-9+.-]{0,30}:)?[/\\]{2,})[^/\\?#]*@/i;
