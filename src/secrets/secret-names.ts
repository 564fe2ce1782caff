/** Names whose values are secret when they are the last word: `dbPassword`, `x-auth-token`. */
const secretWords = new Set(
  (
    "authorization cookie cookies password passwords passwd pwd passphrase secret secrets token bearer " +
    "apikey apikeys credential credentials jwt otp totp"
  ).split(" "),
);

/** A key of these kinds is secret; a plain `key` is not. */
const secretKeys = new Set(["api", "private", "secret", "access", "signing", "encryption", "master", "account"]);

/** Tokens that count, page or mark text: `max_token`, `nextPageToken`, `eos_token`. */
const harmlessTokens = new Set(
  "max min num per first last next previous prev page continuation cursor sync stop start end bos eos pad unk sep cls mask special".split(
    " ",
  ),
);

/** `password_hash` is as secret as the password, `password_policy` is not. */
const secretParts = new Set(["hash", "salt", "digest", "value", "confirm", "confirmation", "repeat", "plain"]);

/** Compound words without separators: `accesstoken`, `clientsecret`. */
const joined =
  /(?:(?:access|refresh|auth|bearer|session|id|csrf|xsrf|api|bot|user|app|security)token|(?:api|secret|private|signing|encryption|access)keys?|secret|passw(?:or)?d|passphrase|sess(?:ion)?id)$/;

const chinese = /(?:密码|口令|密钥|令牌|凭证)$/;

const known = new Map<string, boolean>();

/** True if a field of this name holds a secret. Case, `_`, `-` and camelCase make no difference. */
export function isSecretName(name: string): boolean {
  if (name.length > 80) return false;
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  // Names come from untrusted data: clearing the cache now and then bounds its memory.
  if (known.size >= 2_000) known.clear();
  const secret = decide(name);
  known.set(name, secret);
  return secret;
}

function decide(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
  const last = words.at(-1);
  if (last === undefined) return chinese.test(name);
  const before = words.at(-2);
  if (last === "token") return before === undefined || !harmlessTokens.has(before);
  if (secretWords.has(last) || chinese.test(name)) return true;
  if ((last === "key" || last === "keys") && before !== undefined) return secretKeys.has(before);
  if (last === "id") return before === "session";
  if (secretParts.has(last) && before !== undefined) return /^passw(?:or)?d$|^passphrase$/.test(before);
  return joined.test(last);
}
