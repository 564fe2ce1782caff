type Entry = Readonly<Record<string, unknown>>;

/** The receiver of the values that an `entry` sends: a host, or its command. Undefined if its file names none. */
export function entryReceiver({ command, url }: Entry): string | undefined {
  if (Array.isArray(command)) return `the command ${String(command[0] ?? "")}`;
  return typeof url === "string" ? hostIn(url) : undefined;
}

/** The receiver if the address does not name it. */
const anyHost = "a host that the caller chooses";

/** The host of an address with references, as `example.com:8080`: only if it is written before the first reference. */
export function hostIn(address: string): string {
  const [literal = ""] = address.split("${", 1);
  if (literal !== address && !/^[a-z][a-z\d+.-]*:\/\/[^/?#\\\s]+[/?#]/i.test(literal)) return anyHost;
  return URL.parse(literal)?.host || anyHost;
}
