import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseAllDocuments, parseDocument } from "yaml";
import { serverGroup } from "../src/cli/commands/specs/server.ts";
import { routes } from "../src/api/index.ts";

const read = (name: string): string => readFileSync(new URL(`../deploy/${name}`, import.meta.url), "utf8");

/** The words of the command that a file starts. */
const serveOptions = serverGroup.commands.find(({ name }) => name === "serve")?.options ?? [];
const knownFlags = serveOptions.flatMap(({ flags }) => flags.split(/[ ,]+/).filter((word) => word.startsWith("--")));

/** `windlass serve` waits for requests, then for the work of the engine. */
const maxStopSeconds = 10 + 5;

function flagsIn(command: string): string[] {
  return [...command.matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
}

describe("the files in deploy/ [P11]", () => {
  test("the image runs the server as a user without privileges, with a health check on a route", () => {
    const file = read("Dockerfile");
    const lines = file.split("\n");
    expect(lines.findIndex((line) => line === "USER node")).toBeGreaterThan(lines.lastIndexOf("FROM node:24-slim"));
    const health = /fetch\('http:\/\/127\.0\.0\.1:(\d+)([^']+)'\)/.exec(file);
    expect([health?.[1], health?.[2]]).toEqual(["4780", routes.healthz.path]);
    expect(file).toContain("EXPOSE 4780");
    const command = JSON.parse(/^CMD (\[.*\])$/m.exec(file)?.[1] ?? "[]") as string[];
    expect(command.slice(0, 2)).toEqual(["windlass", "serve"]);
    expect(knownFlags).toEqual(expect.arrayContaining(flagsIn(command.join(" "))));
    // Every line is an instruction, a comment, a continuation, or empty.
    const instruction =
      /^(?:#.*|FROM|WORKDIR|COPY|RUN|USER|VOLUME|ENV|EXPOSE|STOPSIGNAL|HEALTHCHECK|CMD| {2}CMD| {2}&&|$)/;
    expect(lines.filter((line) => !instruction.test(line))).toEqual([]);
  });

  test("the compose file builds this image, needs a token, and gives the server the time to drain", () => {
    const { services } = parseDocument(read("compose.yaml")).toJS() as {
      readonly services: { readonly windlass: Readonly<Record<string, unknown>> };
    };
    const { windlass } = services;
    expect(windlass["build"]).toEqual({ context: "..", dockerfile: "deploy/Dockerfile" });
    expect(JSON.stringify(windlass["environment"])).toContain("WINDLASS_TOKEN:?");
    expect(windlass["ports"]).toEqual(["127.0.0.1:4780:4780"]);
    expect(Number.parseInt(String(windlass["stop_grace_period"]), 10)).toBeGreaterThan(maxStopSeconds);
  });

  test("the service starts the server, stops it with SIGTERM, and gives it the time to drain", () => {
    const unit = read("windlass.service");
    const start = /^ExecStart=\/usr\/bin\/env windlass serve (.*)$/m.exec(unit)?.[1] ?? "";
    expect(knownFlags).toEqual(expect.arrayContaining(flagsIn(start)));
    expect(unit).toContain("KillSignal=SIGTERM");
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(maxStopSeconds);
  });

  test("the manifest probes routes of the server that need no token", () => {
    const documents = parseAllDocuments(read("kubernetes.yaml")).map((each) => {
      expect(each.errors).toEqual([]);
      return each.toJS() as { readonly kind: string; readonly spec: never };
    });
    expect(documents.map(({ kind }) => kind)).toEqual(["PersistentVolumeClaim", "Deployment", "Service"]);
    const text = JSON.stringify(documents[1]);
    const paths = [...text.matchAll(/"httpGet":\{"path":"([^"]+)","port":"http"\}/g)].map(([, path]) => path);
    expect(paths).toEqual([routes.healthz.path, routes.healthz.path, routes.readyz.path]);
    expect([routes.healthz.access, routes.readyz.access]).toEqual(["none", "none"]);
    expect(text).toContain(`"prometheus.io/path":"${routes.prometheus.path}"`);
    expect(text).toContain('"runAsNonRoot":true');
    const { args } = /"args":(?<args>\[[^\]]*\])/.exec(text)?.groups ?? {};
    expect(knownFlags).toEqual(expect.arrayContaining(flagsIn(args ?? "")));
    const [grace, pause] = [/"terminationGracePeriodSeconds":(\d+)/, /"sleep":\{"seconds":(\d+)\}/].map((pattern) =>
      Number(pattern.exec(text)?.[1]),
    );
    expect(grace).toBeGreaterThan(maxStopSeconds + (pause ?? 0));
  });
});
