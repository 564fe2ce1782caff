import { join } from "node:path";
import { openTextIndex } from "../../src/adapters/index.ts";
import { type TextIndex, createInMemoryTextIndex } from "../../src/store/index.ts";
import { folderWith } from "../support/workspace.ts";
import { textIndexRanking } from "./text-index-ranking.ts";
import { textIndexConformance } from "./text-index.ts";

const openers: Readonly<Record<string, () => Promise<TextIndex>>> = {
  memory: async () => createInMemoryTextIndex(),
  sqlite: async () => openTextIndex({ file: join(await folderWith({}), "index.db") }),
};
for (const [name, open] of Object.entries(openers)) {
  textIndexConformance(name, open);
  textIndexRanking(name, open, createInMemoryTextIndex);
}
