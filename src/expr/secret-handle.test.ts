import { inspect } from "node:util";
import { expect, test } from "vitest";
import { SecretHandle, closeSecrets, compileTemplate, compileValue, isSecretHandle, openSecrets } from "./index.ts";

const params = (value: unknown): unknown =>
  compileValue(value, { missing: "drop" }).value.evaluate({ secret: { KEY: "leak" } });

test("a secret is passed on as a handle that shows only its name", () => {
  const template = compileTemplate("${secret.KEY}");
  expect(template.secrets).toEqual(["KEY"]);
  const handle = template.evaluate({ secret: { KEY: "leak" } });
  expect(isSecretHandle(handle)).toBe(true);
  expect([String(handle), `${String(handle)}!`, inspect(handle), JSON.stringify({ handle })]).toEqual([
    "[secret KEY]",
    "[secret KEY]!",
    "[secret KEY]",
    '{"handle":"[secret KEY]"}',
  ]);
  expect(inspect({ deep: { handle } })).toContain("[secret KEY]");
  expect(isSecretHandle(compileTemplate('${ secret["a key"] }').evaluate({}))).toBe(true);
});

test("handles are resolved in a copy, at any depth", () => {
  const fixed = { a: [1] };
  const value = params({ token: "${secret.KEY}", list: [{ k: "${secret.OTHER}" }], fixed });
  const opened = openSecrets(closeSecrets(value), (name) => `<${name}>`);
  expect(opened).toEqual({ token: "<KEY>", list: [{ k: "<OTHER>" }], fixed });
  expect((opened as { fixed: unknown }).fixed).toBe(fixed);
  expect(JSON.stringify(value)).toBe('{"token":"[secret KEY]","list":[{"k":"[secret OTHER]"}],"fixed":{"a":[1]}}');
  expect(openSecrets(closeSecrets(new SecretHandle("X")), () => "x")).toBe("x");
});

test("a value without handles is returned unchanged, at any depth", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const value = { deep, date: new Date(0) };
  expect(openSecrets(closeSecrets(value), () => "x")).toBe(value);
});

test("text that looks like a handle is not one", () => {
  const value = { a: "[secret KEY]", b: { name: "KEY" }, c: "${secret.KEY}" };
  expect(openSecrets(closeSecrets(value), () => "leak")).toBe(value);
});

test("closed values are plain data that opens to the same after JSON, also if a text in it looks like a secret", () => {
  const value = { forged: { name: "KEY", path: ["a"] }, text: "[secret KEY]", token: new SecretHandle("KEY") };
  const closed = closeSecrets(value);
  expect(closed.value).toEqual({ ...value, token: "[secret KEY]" });
  const sent = JSON.parse(JSON.stringify(closed)) as typeof closed;
  expect(sent).toEqual(closed);
  expect(openSecrets(sent, () => "leak")).toEqual({ ...value, token: "leak" });
});

test("a secret that is not set is a failure that names it", () => {
  const open = (): unknown => openSecrets(closeSecrets(params({ a: "${secret.KEY}" })), () => undefined);
  expect(open).toThrow(expect.objectContaining({ code: "not_available", reason: "secret_not_set" }));
  expect(open).toThrow("the secret KEY is not set");
});

test("a key named __proto__ stays a key when secrets are resolved", () => {
  const value = params(JSON.parse('{"__proto__": {"k": "${secret.KEY}"}}'));
  const opened = openSecrets(closeSecrets(value), () => "x") as object;
  expect(JSON.stringify(opened)).toBe('{"__proto__":{"k":"x"}}');
  expect(Object.getPrototypeOf(opened)).toBe(Object.prototype);
});

test("a handle that arrives as an input is passed on, and not written into texts", () => {
  const scope = { input: { token: new SecretHandle("KEY"), list: [new SecretHandle("KEY")] } };
  expect(isSecretHandle(compileTemplate("${input.token}").evaluate(scope))).toBe(true);
  for (const text of ["Bearer ${input.token}", "${'a' + input.token}", "${json(input)}", "${join(input.list)}"])
    expect(() => compileTemplate(text).evaluate(scope)).toThrow(expect.objectContaining({ fault: "secret_misused" }));
});
