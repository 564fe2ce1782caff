import { join } from "node:path";
import { openMemoryStore } from "../../src/adapters/index.ts";
import { createInMemoryMemoryStore } from "../../src/store/index.ts";
import { folderWith } from "../support/workspace.ts";
import { memoryStoreConformance } from "./memory-store.ts";

memoryStoreConformance("memory", async () => createInMemoryMemoryStore());
memoryStoreConformance("sqlite", async () => openMemoryStore({ file: join(await folderWith({}), "memory.db") }));
