import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWeakSecret } from "./find-secrets.ts";
import { createRedactor } from "./redactor.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

interface Row {
  readonly area: string;
  readonly input: unknown;
  readonly expected: string;
}

const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[]).filter(
  (row) => row.area === "redaction",
);

const encodings: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  encodeURIComponent,
  base64: (secret) => Buffer.from(secret).toString("base64"),
  hex: (secret) => Buffer.from(secret).toString("hex"),
  "JSON-escaped": (secret) => JSON.stringify(secret).slice(1, -1),
};

describe("rows of the hostile list", () => {
  const known = rows.flatMap(({ input }) => (typeof input === "object" && input && "secret" in input ? [input] : []));
  const values = rows.filter(({ expected }) => expected === "values replaced by key name");
  const texts = rows.flatMap(({ input }) => (typeof input === "string" ? [input] : []));

  test("every row has a kind that is tested here", () => {
    expect(known.length + values.length + texts.length).toBe(rows.length);
    expect(Math.min(known.length, values.length, texts.length)).toBeGreaterThan(0);
  });

  test.each(known as { secret: string; seenAs: string[] }[])("a known secret as $seenAs", ({ secret, seenAs }) => {
    const redactor = createRedactor([secret]);
    for (const name of seenAs) {
      if (name.startsWith("split over")) continue;
      const encode = encodings[name];
      expect(encode).toBeTypeOf("function");
      const form = encode?.(secret) ?? "";
      expect(redactor.text(`before ${form} after`)).toBe(`before [redacted]${name === "base64" ? "=" : ""} after`);
    }
    for (let at = 1; at < secret.length; at++) {
      const stream = redactor.stream();
      const shown = stream.write(`x ${secret.slice(0, at)}`) + stream.write(`${secret.slice(at)} y\n`) + stream.end();
      expect(shown).toBe("x [redacted] y\n");
    }
  });

  test.each(values)("values under sensitive names: $input", ({ input }) => {
    expect(createRedactor([]).value(input)).toEqual({
      headers: { Authorization: "[redacted]", Cookie: "[redacted]" },
      body: { password: "[redacted]", nested: { apiKey: "[redacted]" } },
    });
  });

  test.each(texts)("%s", (text) => {
    const shown = createRedactor([]).text(`request failed: ${text}`);
    expect(shown).toContain("[redacted]");
    expect(shown).not.toMatch(/abcdefgh|p4ss/);
  });
});

describe("known secrets", () => {
  test.each([
    ["base64url", Buffer.from("a?>secret~~value").toString("base64url")],
    ["base64 behind one byte", Buffer.from("xa?>secret~~valuez").toString("base64")],
    ["base64 behind two bytes", Buffer.from("xya?>secret~~valuezz").toString("base64")],
    ["upper-case hex", Buffer.from("a?>secret~~value").toString("hex").toUpperCase()],
    ["lower-case percent", encodeURIComponent("a?>secret~~value").toLowerCase()],
    ["twice JSON-escaped", JSON.stringify(JSON.stringify("a?>secret~~value"))],
    ["twice percent", encodeURIComponent(encodeURIComponent("a?>secret~~value"))],
    ["twice lower-case percent", encodeURIComponent(encodeURIComponent("a?>secret~~value").toLowerCase())],
    ["HTML", "a?&gt;secret~~value"],
  ])("a secret written as %s is redacted", (_name, form) => {
    const shown = createRedactor(["a?>secret~~value"]).text(`v=${form};`);
    expect(shown).toContain("[redacted]");
    // Only base64 characters shared with the neighbors may remain.
    expect(shown.length).toBeLessThan("v=[redacted];".length + 8);
  });

  test.each([
    "p&amp;s&lt;w&gt;o&quot;r&#39;d/=",
    "p&amp;s&lt;w&gt;o&#34;r&#39;d/=",
    "p&amp;s&lt;w&gt;o&quot;r&#x27;d/=",
    "p&amp;s&lt;w&gt;o&quot;r&apos;d/=",
    "p&amp;s&lt;w&gt;o&quot;r&#39;d&#x2F;&#x3D;",
    "p&amp;s&lt;w&gt;o&quot;r'd/=",
    "p&amp;s&lt;w&gt;o\"r'd/=",
  ])("a secret escaped for HTML is redacted: %s", (form) => {
    expect(createRedactor(["p&s<w>o\"r'd/="]).text(`<p>${form}</p>`)).toBe("<p>[redacted]</p>");
  });

  test("a secret in a user:password pair in base64 is redacted", () => {
    const header = Buffer.from("someone:correct horse battery").toString("base64");
    expect(createRedactor(["correct horse battery"]).text(header)).toContain("[redacted]");
  });

  test("two overlapping secrets are both removed completely", () => {
    expect(createRedactor(["abcdef12", "ef12zzyy"]).text("<abcdef12zzyy>")).toBe("<[redacted]>");
  });

  test("a secret of many lines is redacted line by line", () => {
    const secret = "first-line-of-a-secret\nsecond-line-of-it-too";
    expect(createRedactor([secret]).text("1: second-line-of-it-too")).toBe("1: [redacted]");
  });

  test("a secret with a trailing line break, as in files, is redacted", () => {
    expect(createRedactor(["filesecret\n"]).text("x filesecret y")).toBe("x [redacted] y");
  });

  test("secrets of fewer than four characters are not searched", () => {
    expect(createRedactor(["abc", ""]).text("abc abc")).toBe("abc abc");
  });

  test("a secret in Chinese is redacted", () => {
    const redactor = createRedactor(["芝麻开门吧"]);
    expect(redactor.text("口号是芝麻开门吧。")).toBe("口号是[redacted]。");
    expect(redactor.text(encodeURIComponent("芝麻开门吧"))).toBe("[redacted]");
  });

  test("any secret in any encoding and any context is redacted", () => {
    const environment = fc.string({ unit: fc.constantFrom("a", "Z", "0", " ", "=", '"', "\n", "好"), maxLength: 20 });
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, maxLength: 40 }).filter((text) => text.trim().length >= 8),
        fc.constantFrom(...Object.values(encodings)),
        fc.tuple(environment, environment),
        (secret, encode, [before, after]) => {
          const form = encode(secret);
          expect(createRedactor([secret]).text(before + form + after)).not.toContain(form.replace(/=+$/, ""));
        },
      ),
      { seed: 11, numRuns: 500 },
    );
  });
});

describe("text", () => {
  const { text } = createRedactor([]);
  test.each([
    ["Authorization: Bearer abc.def", "Authorization: [redacted]"],
    ["curl -H 'Authorization: Basic dTpw' https://h/x", "curl -H 'Authorization: [redacted]' https://h/x"],
    ["sent Bearer eyJhbGciOi12345", "sent Bearer [redacted]"],
    ["Cookie: a=b; c=d\nnext", "Cookie: [redacted]\nnext"],
    ['{"password":"hunter2","user":"bob"}', '{"password":"[redacted]","user":"bob"}'],
    ['{"password":"a\\"b","x":1}', '{"password":"[redacted]","x":1}'],
    ['"{\\"api_key\\":\\"abc\\\\\\"d\\",\\"x\\":1}"', '"{\\"api_key\\":\\"[redacted]\\",\\"x\\":1}"'],
    ["{'apiKey': 'abc'}", "{'apiKey': '[redacted]'}"],
    ['{"password":"cut off', '{"password":"[redacted]'],
    ["DB_PASSWORD=hunter2 npm start", "DB_PASSWORD=[redacted] npm start"],
    ["https://h/p?a=1&api_key=abc&b=2", "https://h/p?a=1&api_key=[redacted]&b=2"],
    ["https://h/p?key=abc#f", "https://h/p?key=[redacted]"],
    ["https://bob:pw@host/x", "https://[redacted]@host/x"],
    ["postgres://u:p@ss@db:5432/x", "postgres://[redacted]@db:5432/x"],
    ["https://ghp_abc@github.com/x", "https://[redacted]@github.com/x"],
    ["密码：hunter2，好", "密码：[redacted]"],
    ["AKIAIOSFODNN7EXAMPLE.", "[redacted]."],
    ["xoxb-123456789012-abcdef", "[redacted]"],
    ["sk-proj-abcdefghij0123456789", "[redacted]"],
    [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${"x".repeat(43)}`, "[redacted]"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nnext", "[redacted]\nnext"],
    ["-----BEGIN PRIVATE KEY-----\nMIIE cut", "[redacted]"],
    [`dop_v1_${"0a1b2c3d".repeat(8)}.`, "[redacted]."],
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw!", "[redacted]!"],
    [`AGE-SECRET-KEY-1${"QPZRY9X8GF".repeat(5)}QPZRY9X8`, "[redacted]"],
    ["bot 123456789:AAF-abcdefghijklmnopqrstuvwxyz_0123 up", "bot [redacted] up"],
    [
      "https://api.telegram.org/bot123456789:AAF-abcdefghijklmnopqrstuvwxyz_0123/getMe",
      "https://api.telegram.org/bot[redacted]/getMe",
    ],
    ["curl -u bob:hunter2 https://h/x", "curl -u [redacted] https://h/x"],
    ["curl -s --user 'bob:my pass' -o f https://h/x", "curl -s --user '[redacted]' -o f https://h/x"],
    ["/usr/bin/curl -sSubob:p,w;d https://h/", "/usr/bin/curl -sSu[redacted] https://h/"],
    ["curl --proxy-user=bob:pw -U a:b x", "curl --proxy-user=[redacted] -U [redacted] x"],
    ["curl \\\n  -u a:b \\\n  x", "curl \\\n  -u [redacted] \\\n  x"],
    ['["curl","-u","bob:pw","https://h/"]', '["curl","-u","[redacted]","https://h/"]'],
    ['"run curl -u \\"bob:pw\\" x"', '"run curl -u \\"[redacted]\\" x"'],
    ["your OTP: 493021.", "your OTP: [redacted]"],
    ["otp=493021&x=1", "otp=[redacted]&x=1"],
    ['{"jwt":"abc","sessionId":"s1"}', '{"jwt":"[redacted]","sessionId":"[redacted]"}'],
    ["X-Session-Id: s1 y", "X-Session-Id: [redacted] y"],
    ["PHPSESSID=s1; a=b", "PHPSESSID=[redacted]; a=b"],
  ])("%j becomes %j", (input, expected) => {
    expect(text(input)).toBe(expected);
    // Redaction is idempotent.
    expect(text(text(input))).toBe(expected);
  });

  test.each([
    "max_tokens=100 and tokensUsed: 5",
    '{"token_count":5,"nextPageToken":"abc","max_tokens":9}',
    "Bearer authentication is a scheme; basic understanding of it helps",
    "password=null",
    "the token: it is a word",
    "https://example.com/@user and mail@example.com",
    "https://example.com/?q=a@b",
    "sk-learn-based-thing-without-numbers",
    "the key: value pairs",
    "tokens, cookies, keys, secrets",
    "docker run -u 1000:1000 --user www-data:www-data image",
    "curl --user-agent=a:b -A 'x:y' -H 'User: z' -o out:put https://h:8080/x",
    "curl -u bob https://h:8080/x",
    "curly -u a:b and libcurl -u a:b",
    "from 12345678:30 to 1700000000:done",
    "12345678:550e8400-e29b-41d4-a716-446655440000",
    "1234567890:a-lower-case-name-of-35-characters-",
    "2024-01-01T12345678:abc",
    "whsec_ and dop_v1_ are prefixes, AGE-SECRET-KEY-1 is one too",
    "whsec_endpoint_secret_name",
    "OTP: see the docs; JWT: a standard",
    "otp_enabled=1 session=3 sessions: 4 jwt_issuer=me pin=5",
    "a laptop, a footprint, a session idea: good",
    "Tom &amp; Jerry &lt;3",
    "",
  ])("%j stays", (input) => {
    expect(text(input)).toBe(input);
  });
});

describe("value", () => {
  const redactor = createRedactor(["hunter2secret"]);
  const value = (input: unknown) => redactor.value(input) as never;

  test("without secrets the same reference is returned", () => {
    for (const input of [
      { a: [1, { b: "text" }], max_tokens: 5, at: new Date(0), password: "", token: null, secret: true },
      [1, 2],
      new Map([["a", 1]]),
      new Set(["x"]),
      new Error("plain"),
      new Uint8Array([1, 2]),
      new URL("https://example.com/"),
      Object.create(null),
    ]) {
      expect(redactor.value(input)).toBe(input);
    }
  });

  test("with a secret a copy is returned and the original is unchanged", () => {
    const input = { list: ["hunter2secret"], same: { x: 1 } };
    expect(value(input)).toEqual({ list: ["[redacted]"], same: { x: 1 } });
    expect(input.list[0]).toBe("hunter2secret");
  });

  test.each([
    "password",
    "Authorization",
    "x-api-key",
    "X_API_KEY",
    "apiKey",
    "apikey",
    "openaiApiKey",
    "accessToken",
    "access_token",
    "accesstoken",
    "githubToken",
    "client_secret",
    "clientSecret",
    "Set-Cookie",
    "PRIVATE_KEY",
    "password_hash",
    "credentials",
    "otp",
    "smsOtp",
    "totp",
    "jwt",
    "id_jwt",
    "session_id",
    "sessionId",
    "sessionid",
    "JSESSIONID",
    "x-session-id",
    "数据库密码",
  ])("a value named %s is redacted", (name) => {
    expect(value({ [name]: "v" })).toEqual({ [name]: "[redacted]" });
    expect(value({ [name]: { deep: 1 } })).toEqual({ [name]: "[redacted]" });
    expect(value({ [name]: 1234 })).toEqual({ [name]: "[redacted]" });
  });

  test.each([
    "max_tokens",
    "maxTokens",
    "tokensUsed",
    "token_count",
    "tokens",
    "token_type",
    "next_page_token",
    "nextPageToken",
    "eos_token",
    "key",
    "keyword",
    "secretary",
    "password_policy",
    "passport",
    "cookie_consent",
    "author",
    "pin",
    "gpio_pin",
    "laptop",
    "otp_length",
    "session",
    "session_count",
    "conversation_id",
    "id",
  ])("a value named %s is not redacted", (name) => {
    const input = { [name]: "v" };
    expect(redactor.value(input)).toBe(input);
  });

  test("the name of an unresolved secret stays, and nothing that only begins like it", () => {
    expect(value({ api_key: "[secret CRM_TOKEN]" })).toEqual({ api_key: "[secret CRM_TOKEN]" });
    expect(value({ api_key: "[secret a] b" })).toEqual({ api_key: "[redacted]" });
    expect(value({ password: "[secret hunter2secret]" })).toEqual({ password: "[secret [redacted]]" });
  });

  test("a secret is redacted as a key, in a map and in a set", () => {
    expect(value({ "a hunter2secret b": 1 })).toEqual({ "a [redacted] b": 1 });
    expect(value(new Map<string, unknown>([["password", "p"]]))).toEqual(new Map([["password", "[redacted]"]]));
    expect(value(new Set(["hunter2secret"]))).toEqual(new Set(["[redacted]"]));
  });

  test("an error stays an error, with its message, stack, cause and fields redacted", () => {
    const error = new TypeError("failed with hunter2secret", { cause: { url: "https://u:p@h/" } });
    const shown = redactor.value(Object.assign(error, { token: "t" })) as Error & { token: string };
    expect(shown).toBeInstanceOf(Error);
    expect(shown).toMatchObject({ name: "TypeError", message: "failed with [redacted]", token: "[redacted]" });
    expect(shown.cause).toEqual({ url: "https://[redacted]@h/" });
    expect(shown.stack).toContain("failed with [redacted]");
    expect(shown.stack).not.toContain("hunter2secret");
  });

  test("bytes that hold a secret and URLs that hold credentials", () => {
    expect(value([Buffer.from("x hunter2secret")])).toEqual(["[redacted, 15 bytes]"]);
    expect(value({ url: new URL("https://u:p@h/x") })).toEqual({ url: "https://[redacted]@h/x" });
  });

  test("cycles, with and without a secret", () => {
    const clean: Record<string, unknown> = { a: { b: [] } };
    clean["self"] = { clean };
    expect(redactor.value(clean)).toBe(clean);
    const dirty: Record<string, unknown> = { secret: "s", inner: {} };
    (dirty["inner"] as Record<string, unknown>)["up"] = dirty;
    const copy = redactor.value(dirty) as Record<string, Record<string, unknown>>;
    expect(copy["secret"]).toBe("[redacted]");
    expect(copy["inner"]?.["up"]).toBe(copy);
    const error = new Error("hunter2secret");
    error.cause = error;
    const shown = redactor.value(error) as Error;
    expect(shown.cause).toBe(shown);
  });

  test("a value shared many times is scanned once", () => {
    let shared: unknown = { text: "x" };
    for (let i = 0; i < 40; i++) shared = [shared, shared];
    expect(redactor.value(shared)).toBe(shared);
  });

  test("values too deep to scan are redacted", () => {
    let deep: unknown = "hunter2secret";
    for (let i = 0; i < 5_000; i++) deep = [deep];
    expect(JSON.stringify(redactor.value(deep))).toMatch(/^\[{65}"\[unreadable\]"\]{65}$/);
  });

  test("hostile objects never throw and never affect their neighbors", () => {
    const thrower = () => {
      throw new Error("no");
    };
    const proxy = new Proxy({}, { get: thrower, ownKeys: thrower, getPrototypeOf: thrower, has: thrower });
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const input = {
      password: "p",
      good: "stays",
      get bad() {
        return thrower();
      },
      proxy,
      revoked,
      toJson: { toJSON: thrower },
      own: JSON.parse('{"__proto__":{"token":"t"}}') as unknown,
    };
    const shown = redactor.value(input) as Record<string, unknown>;
    expect(shown["password"]).toBe("[redacted]");
    expect(shown["good"]).toBe("stays");
    expect(shown["bad"]).toBe("[unreadable]");
    expect(Object.getPrototypeOf(shown["own"])).toBe(Object.prototype);
    expect(JSON.stringify(shown["own"])).toBe('{"__proto__":{"token":"[redacted]"}}');
    expect(redactor.value(revoked)).toBe("[unreadable]");
  });

  test.each([undefined, null, 1, 10n, true, Symbol.iterator, Math.max])("%s is returned unchanged", (input) => {
    expect(redactor.value(input)).toBe(input);
  });
});

test("secrets added later are redacted from then on, also in streams under way", () => {
  const growing = createRedactor(["hunter2secret"]);
  const stream = growing.stream();
  expect(stream.write("first-key and ")).toBe("");
  expect(growing.text("first-key")).toBe("first-key");
  growing.add(["first-key"]);
  growing.add(["first-key", "second-key"]);
  expect(growing.text("first-key second-key hunter2secret")).toBe("[redacted] [redacted] [redacted]");
  expect(growing.value({ a: ["x second-key"] })).toEqual({ a: ["x [redacted]"] });
  expect(stream.end()).toBe("[redacted] and ");
});

describe("stream", () => {
  const secret = "s3cret-with\nlines-and more";
  const redactor = createRedactor([secret, "hunter2secret"]);

  test("for any chunks, the output is the redacted text", () => {
    const whole = `start hunter2secret\npassword=abc Authorization: Bearer q\n${secret} and\n-----BEGIN PRIVATE KEY-----\nMI\nIE\n-----END PRIVATE KEY-----\nhunter2\nend`;
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 30 }), (cuts) => {
        const stream = redactor.stream();
        let shown = "";
        let at = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), whole.length]) {
          shown += stream.write(whole.slice(at, cut));
          at = cut;
        }
        expect(shown + stream.end()).toBe(redactor.text(whole));
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  test("finished lines are emitted immediately", () => {
    const stream = redactor.stream();
    expect(stream.write("one\ntwo")).toBe("one\n");
    expect(stream.write(" three\n")).toBe("two three\n");
    expect(stream.end()).toBe("");
  });

  test("an endless line is emitted in parts and still hides a secret between two of them", () => {
    const stream = redactor.stream();
    let shown = "";
    for (let i = 0; i < 3_000; i++)
      shown += stream.write(`${"x".repeat(20)} hunter2`) + stream.write("secret password=q ");
    expect(shown.length).toBeGreaterThan(10_000);
    shown += stream.end();
    expect(shown).not.toContain("hunter2");
    expect(shown).not.toContain("password=q");
  });

  test("a stream that keeps looking like a key is released at low cost", () => {
    const stream = redactor.stream();
    const start = cpuTime();
    let shown = stream.write("-----BEGIN PRIVATE KEY-----\n");
    for (let i = 0; i < 20_000; i++) shown += stream.write("some words in a line\n");
    expect(cpuTime() - start).toBeLessThan(3_000);
    expect(shown).toContain("some words");
  });
});

describe("streams", () => {
  const secret = "hunter2secretvalue";

  test.each([
    "x abcd1234efghijkl y",
    "say correct horse battery staple",
    "abcd1234efg correct horse",
    "密码是东西啊 ok abcd1234",
    "Authorization: Bearer abcdefgh12345678 more words here\nnext",
    "password: hunter2 and the rest",
    '"password": "two words here" end',
    "token=abc https://u:p@h/x sk-abcdefghijklmnop1234 z",
    "Cookie: a=b; c=d; e=f g\nplain",
    "curl -u 'user:pass 123' http://x y",
    "curl \\\n  -s \\\n  -u a:bcd \\\n  x",
    "eyJhbGciOiJI.eyJzdWIiOiIx.abc def",
    "密码: 你好世界密 后面",
    "api_key :  'a b c'",
    "basic dXNlcjpwYXNz x",
    "bearer\n  abcdefgh12345678abcd x",
    "key -----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY----- done",
  ])("at any chunk boundaries, %j is redacted", (text) => {
    const known = ["abcd1234", "abcd1234efgh", "1234efghij", "correct horse battery", "密码是东西啊", "efghijkl"];
    const redactor = createRedactor(known);
    for (const kind of ["stream", "knownStream"] as const) {
      const whole = kind === "knownStream" ? redactor.known(text) : redactor.text(text);
      const shownIn = (pieces: readonly string[]): string => {
        const stream = redactor[kind]();
        return pieces.map((piece) => stream.write(piece)).join("") + stream.end();
      };
      expect(shownIn(text.split(""))).toBe(whole);
      for (let first = 0; first <= text.length; first++) {
        for (let second = first; second <= text.length; second += 3) {
          expect(shownIn([text.slice(0, first), text.slice(first, second), text.slice(second)])).toBe(whole);
        }
      }
    }
  });

  test("a very long word takes linear time, and the text after it is shown", () => {
    const stream = createRedactor([secret]).knownStream();
    const text = `Here is the picture: ${"QUJD".repeat(15_000)} and that was it. ${"More words. ".repeat(100)}`;
    const start = cpuTime();
    let shown = "";
    for (let at = 0; at < text.length; at += 4) shown += stream.write(text.slice(at, at + 4));
    expect(cpuTime() - start).toBeLessThan(1_000);
    expect(text.length - shown.length).toBeLessThan(20);
    expect(shown + stream.end()).toBe(text);
    const once = createRedactor([secret]).knownStream();
    const began = cpuTime();
    once.write(`${"a".repeat(60_000)} hello`);
    expect(cpuTime() - began).toBeLessThan(500);
  });

  test.each(["stream", "knownStream"] as const)("%s never shows the beginning of a known secret", (kind) => {
    const stream = createRedactor([secret])[kind]();
    const pieces = ["a".repeat(70_000) + secret.slice(0, -1), `${secret.slice(-1)} x`];
    const shown = pieces.map((piece) => stream.write(piece)).join("") + stream.end();
    expect(shown).toBe(`${"a".repeat(70_000)}[redacted] x`);
  });
});

test("with known secrets only, text that cannot be a part of one is emitted immediately", () => {
  const stream = createRedactor(["hunter2secret"]).knownStream();
  const pieces = ["One tw", "o password=thr", "ee hun", "ger hunter2sec", "ret", " end"];
  expect(pieces.map((piece) => stream.write(piece))).toEqual([
    "One tw",
    "o password=thr",
    "ee ",
    "hunger ",
    "",
    "[redacted] end",
  ]);
  expect(stream.end()).toBe("");
});

test("names stay if only texts are redacted", () => {
  const redactor = createRedactor(["user"]);
  const value = { user: "the user", list: [{ user: 1 }] };
  expect(redactor.knownTexts(value)).toEqual({ user: "the [redacted]", list: [{ user: 1 }] });
  expect(redactor.known(value)).toEqual({ "[redacted]": "the [redacted]", list: [{ "[redacted]": 1 }] });
  const clean = { user: "nobody" };
  expect(redactor.knownTexts(clean)).toBe(clean);
});

test("fields whose names become equal after redaction all stay", () => {
  const { known } = createRedactor(["hunter2secret", "correct-horse"]);
  expect(known({ hunter2secret: 1, "correct-horse": 2, a: 3 })).toEqual({ "[redacted]": 1, "[redacted] 2": 2, a: 3 });
});

describe("placeholders for a key", () => {
  test.each(["ollama", " ollama ", "EMPTY", "none\n", "lm-studio", "sk-no-key-required"])(
    "%j is not a secret",
    (word) => {
      const redactor = createRedactor([word]);
      expect(redactor.knowsAny()).toBe(false);
      expect(redactor.text(`it says ${word.trim()}.`)).toBe(`it says ${word.trim()}.`);
    },
  );

  test.each([
    ["user", true],
    ["postgres", true],
    [" admin\n", true],
    ["1234", true],
    ["opensesame", true],
    ["hunter2", false],
    ["correcthorsebatterystaple", false],
    ["correct horse", false],
    ["sk-12345", false],
    ["abc", false],
    ["none", false],
  ])("%j is found in ordinary text: %s", (secret, expected) => {
    expect(isWeakSecret(secret)).toBe(expected);
  });
});

describe("a megabyte of hostile text takes linear time", () => {
  const redactor = createRedactor(["aaaaaaaaaaaaaaab", "hunter2secret"]);
  test.each([
    "a",
    "eyJ",
    "-eyJa",
    "eyJabcdefgh.",
    "sk-",
    "-sk-",
    "a://",
    "a://a:",
    "://@",
    "-----BEGIN PRIVATE KEY-----",
    "-----",
    "bearer ",
    "password=",
    'password="',
    "password='\\",
    '\\"password\\":\\"',
    "password : ",
    "token",
    "_-.",
    "?key=&",
    "Authorization:",
    "密码：",
    "xoxb-ghp_AKIA",
    "\\",
    '"token":"\\\\',
    "curl ",
    "curl -u ",
    "curl\\\n",
    "curl -u '",
    "curl -u a:",
    "curl -sssssss",
    'curl -u "\\" ',
    "12345678:",
    "1",
    "bot12345678:A-",
    "whsec_",
    "dop_v1_",
    "AGE-SECRET-KEY-",
    "otp:1",
    "sessionid",
    "&amp;",
    "%2525",
  ])("%j", (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const start = cpuTime();
    redactor.text(text);
    redactor.text(`password="${text}`);
    expect(cpuTime() - start).toBeLessThan(4_000);
  });
});
