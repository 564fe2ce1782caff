import { describe, expect, test } from "vitest";
import { displayWidth } from "../../src/text/index.ts";
import { folder, windlass } from "./windlass.ts";

const weather = {
  "tools/天气.yaml": `name: 查询天气
description: 查询一个城市今天的天气。第二句话不在列表里。
category: 生活
tags: [tianqi]
effect: read
aliases: [weather]
parameters:
  - { name: 城市, type: string, required: true, description: 城市的名字 }
  - { name: days, type: integer, default: 3, description: Days ahead., validation: { min: 1, max: 7 } }
entry: { type: builtin, handler: echo }
`,
  "tools/broken.yaml": "name: broken\ndescripton: x\n",
};

describe.concurrent("windlass tools", () => {
  test("lists tools in columns aligned in every script, and warns about files that could not be loaded", async () => {
    const cwd = await folder(weather);
    const { code, stdout, stderr } = await windlass(["tools"], { cwd });
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    const names = lines.map((line) => line.split(/\s{2,}/)[0]);
    expect(names).toEqual(expect.arrayContaining(["calculator", "echo", "http_request", "web_search"]));
    expect(names.slice(0, 2)).toEqual(["NAME", "查询天气"]);
    const some = lines.filter((line) => /^(?:NAME|calculator|echo|http_request|查询天气) /.test(line));
    const columns = some.map((line) =>
      displayWidth(line.slice(0, line.search(/Computes|Gives|Returns|Sends|DESCRIPTION|查询一个/))),
    );
    expect([some.length, new Set(columns).size]).toEqual([5, 1]);
    expect(stdout).not.toContain("第二句话");
    expect(stderr).toContain("warning: tools/broken.yaml could not be loaded; for details: windlass validate");
  });

  test("[U13] lists the workspace's own tools first, and those of a source", async () => {
    const chain = "name: report\ndescription: Reports.\nsteps:\n  - { id: a, tool: echo, params: { message: hi } }\n";
    const cwd = await folder({ "tools/天气.yaml": weather["tools/天气.yaml"], "chains/report.yaml": chain });
    const names = async (...options: string[]): Promise<string[]> => {
      const { stdout } = await windlass(["tools", ...options, "--json"], { cwd });
      return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    };
    const [all, mine, chains, builtin, wrong] = await Promise.all([
      names(),
      names("--mine"),
      names("--source", "chains", "--mine"),
      names("--source", "builtin"),
      windlass(["tools", "--source", "chain"], { cwd }),
    ]);
    expect(all.slice(0, 2)).toEqual(["report", "查询天气"]);
    expect(all.length).toBeLessThan(50);
    expect(mine).toEqual(["report", "查询天气"]);
    expect(chains).toEqual(["report"]);
    expect(builtin).toEqual(all.slice(2));
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean --source chains?") as string,
    });
  });

  test("lists by category and tag, also as JSON", async () => {
    const cwd = await folder(weather);
    const [byCategory, byTag, none] = await Promise.all([
      windlass(["tools", "list", "--category", "生活", "--json"], { cwd }),
      windlass(["tools", "--tag", "tianqi", "--json"], { cwd }),
      windlass(["tools", "--tag", "nothing"], { cwd }),
    ]);
    expect(JSON.parse(byCategory.stdout)).toEqual(JSON.parse(byTag.stdout));
    expect(JSON.parse(byTag.stdout)).toEqual([
      {
        name: "查询天气",
        display_name: "查询天气",
        version: "1.0.0",
        description: expect.any(String),
        category: "生活",
        tags: ["tianqi"],
        aliases: ["weather"],
        capabilities: [],
        effect: "read",
        destructive: false,
        status: "active",
        gated: false,
        composite: false,
        source: "tools",
        file: "tools/天气.yaml",
      },
    ]);
    expect(none).toMatchObject({ code: 0, stdout: "" });
  });

  test("show prints the description, parameters and origin of a tool, and an example call", async () => {
    const cwd = await folder(weather);
    const [file, builtin, json] = await Promise.all([
      windlass(["tools", "show", "weather"], { cwd }),
      windlass(["tools", "show", "http_request"], { cwd }),
      windlass(["tools", "show", "查询天气", "--json"], { cwd }),
    ]);
    for (const text of ["第二句话", "read (reads external state", "tools/天气.yaml", "1 to 7; default 3", "required"]) {
      expect(file.stdout).toContain(text);
    }
    expect(file.stdout).toContain('Try: windlass call 查询天气 城市="…"');
    expect(builtin.stdout).toContain("built in");
    expect(builtin.stdout).toContain("one of GET, HEAD");
    expect(builtin.stdout).toContain("Try: windlass call http_request url=http://example.com/\n");
    expect(JSON.parse(json.stdout)).toMatchObject({ name: "查询天气", input_schema: { required: ["城市"] } });
  });

  test("shows nested fields of lists and objects, and an example that the tool accepts", async () => {
    const bare = `name: send
description: Sends it
parameters:
  - name: message
    type: array
    required: true
    validation:
      min_items: 1
      items: { type: object, properties: { mail: { type: string, minLength: 1 } }, required: [mail] }
entry: { type: builtin, handler: echo }
`;
    const cwd = await folder({ "tools/send.yaml": bare, "notes.md": "a draft" });
    const [edit, send] = await Promise.all([
      windlass(["tools", "show", "edit_file"], { cwd }),
      windlass(["tools", "show", "send"], { cwd }),
    ]);
    expect(edit.stdout).toMatch(/^edits +list of object +The replacements, made in this order\. \(1 to 100 items\)$/m);
    expect(edit.stdout).toMatch(/^edits\[\]\.old_text +string +required +The text to replace/m);
    const call = /^Try: windlass (call edit_file path=notes\.md) edits='(.*)'$/m.exec(edit.stdout);
    const made = await windlass([...(call?.[1] ?? "").split(" "), `edits=${call?.[2]}`], { cwd });
    expect(made).toMatchObject({ code: 0 });
    expect(send.stdout).toMatch(/^message\[\]\.mail +string +required +\(at least 1 character\)$/m);
    expect(send.stdout).toContain(`Try: windlass call send message='[{"mail":"…"}]'`);
  });

  test("search finds by name, tag and description, best match first", async () => {
    const cwd = await folder(weather);
    const [http, zh, none] = await Promise.all([
      windlass(["tools", "search", "http", "request", "--json"], { cwd }),
      windlass(["tools", "search", "天气"], { cwd }),
      windlass(["tools", "search", "calculatr"], { cwd }),
    ]);
    expect(JSON.parse(http.stdout)[0]).toMatchObject({ name: "http_request" });
    expect(zh.stdout).toContain("查询天气");
    expect(zh.stdout).not.toContain("calculator");
    expect(none).toMatchObject({ code: 0, stdout: "" });
    expect(none.stderr).toContain("did you mean calculator?");
  });

  test("schema prints one tool, or all, in the format of each provider", async () => {
    const cwd = await folder();
    const schema = async (...words: string[]) =>
      JSON.parse((await windlass(["tools", "schema", ...words], { cwd })).stdout);
    const [openai, anthropic, gemini, mcp, all] = await Promise.all([
      schema("echo"),
      schema("echo", "--format", "anthropic"),
      schema("echo", "--format", "gemini"),
      schema("echo", "--format", "mcp"),
      schema(),
    ]);
    expect(openai).toMatchObject({ type: "function", function: { name: "echo", parameters: { type: "object" } } });
    expect(anthropic).toMatchObject({ name: "echo", input_schema: { type: "object" } });
    expect(gemini).toMatchObject({ functionDeclarations: [{ name: "echo" }] });
    expect(mcp).toMatchObject({ name: "echo", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } });
    const names = all.map((tool: { function: { name: string } }) => tool.function.name);
    expect(names).toEqual(expect.arrayContaining(["calculator", "echo", "http_request", "web_search"]));
    expect(names).toEqual(names.toSorted());
  });

  test.each([
    [["tools", "shwo", "echo"], "did you mean windlass tools show?"],
    [["tools", "http"], "windlass tools search http"],
    [["tools", "show", "ecko"], "did you mean echo?"],
    [["tools", "show"], "missing required argument 'NAME'"],
    [["tools", "search"], "missing required argument 'QUERY'"],
    [["tools", "schema", "--format", "opnai"], "Allowed choices are openai"],
    [["tools", "--categroy", "x"], "Did you mean --category?"],
  ])("%j is a usage error", async (words, reported) => {
    const { code, stdout, stderr } = await windlass(words, { cwd: await folder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(reported);
  });
});
