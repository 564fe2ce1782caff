import { join } from "node:path";
import { openMemories } from "../../src/adapters/index.ts";
import { createMemoryMemories } from "../../src/store/index.ts";
import { folderWith } from "../support/workspace.ts";
import { memoryStoreConformance } from "./memory-store.ts";

memoryStoreConformance("memory", async () => createMemoryMemories());
memoryStoreConformance("sqlite", async () => openMemories({ file: join(await folderWith({}), "memory.db") }));
