import { type Issue, canonicalJson } from "../../base/index.ts";
import { type JsonSchema, type Schema, type Validation, isRecord, put } from "../../schema/index.ts";
import type { Candidate } from "./candidate.ts";
import { checkArguments } from "./check-arguments.ts";

/**
 * What callers pass where several candidates have a name: valid is what one of them takes. It is handed on as it was
 * given, since each candidate fills in its own defaults; what none takes is told in the words of the first.
 */
export function sharedInput(candidates: readonly Candidate[]): Schema {
  const schemas = candidates.map(({ registration }) => registration.tool.input);
  return { json: sharedJson(schemas.map(({ json }) => json)), validate: (value) => validateWith(schemas, value) };
}

/** Whoever takes it at once decides; else the first that does of those that take their time: one of them may hang. */
function validateWith(schemas: readonly Schema[], value: unknown): Validation<unknown> | Promise<Validation<unknown>> {
  const later: Promise<Validation<unknown>>[] = [];
  let issues: readonly Issue[] | undefined;
  for (const schema of schemas) {
    const found = checkArguments(schema, value);
    if (found instanceof Promise) later.push(found);
    else if (found.issues === undefined) return { value };
    else issues ??= found.issues;
  }
  return later.length === 0 ? { issues: issues ?? [] } : firstToTake(later, value, issues);
}

function firstToTake(
  checks: readonly Promise<Validation<unknown>>[],
  value: unknown,
  issues: readonly Issue[] | undefined,
): Promise<Validation<unknown>> {
  return new Promise((resolve) => {
    let [left, first] = [checks.length, issues];
    for (const check of checks) {
      void check.then((found) => {
        first ??= found.issues;
        if (found.issues === undefined) resolve({ value });
        else if (--left === 0) resolve({ issues: first ?? [] });
      });
    }
  });
}

/** The schema that they have in common: the very same, or one that forbids nothing that one of them allows. */
function sharedJson(all: readonly JsonSchema[]): JsonSchema {
  const [first = {}] = all;
  const text = canonicalJson(first);
  if (all.every((json) => canonicalJson(json) === text)) return first;
  const properties: Record<string, unknown> = {};
  for (const json of all) {
    for (const [key, schema] of Object.entries(isRecord(json["properties"]) ? json["properties"] : {})) {
      put(properties, key, Object.hasOwn(properties, key) ? inCommon(properties[key], schema) : alone(schema));
    }
  }
  const required = all.map((json) => (Array.isArray(json["required"]) ? (json["required"] as readonly string[]) : []));
  const needed = (required[0] ?? []).filter((key) => required.every((keys) => keys.includes(key)));
  return { type: "object", properties, ...(needed.length > 0 && { required: needed }) };
}

/** A part that refers to another part of its schema loses that; its description stays. */
function alone(schema: unknown): unknown {
  return canonicalJson(schema).includes('"$ref"') ? described(schema) : schema;
}

function inCommon(one: unknown, other: unknown): unknown {
  return canonicalJson(one) === canonicalJson(other) ? one : described(one);
}

function described(schema: unknown): unknown {
  const description = isRecord(schema) ? schema["description"] : undefined;
  return typeof description === "string" ? { description } : {};
}
