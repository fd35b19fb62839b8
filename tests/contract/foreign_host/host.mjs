// node host.mjs TRANSPILED DIRECTORY SCOPE: do the plain work of a memory, print what came as JSON.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { importsFor } from "./imports.mjs";

const [transpiled, directory, scopeJson] = process.argv.slice(2);
const scope = JSON.parse(scopeJson);
const events = [];
const moment = { unixMs: BigInt(Date.now()), zone: "Europe/Lisbon" };

const { instantiate } = await import(pathToFileURL(join(transpiled, "memory.js")));
const compile = async (name) => WebAssembly.compile(await readFile(join(transpiled, name)));
const provider = await instantiate(compile, importsFor({ directory, scope, moment, events }));
const { tools, lifecycle, upkeep } = provider;

const write = (target, content, more = {}) =>
  tools.write({ target, content, append: true, replaceAll: false, ...more });
const lane = (query) => ({ query, maxSnippets: 8, contextProfile: "interactive" });
const failure = (call) => {
  try {
    call();
    return null;
  } catch (error) {
    return error.payload ?? error;
  }
};

const came = {};
came.appended = [write("memory", "prefers tea without sugar"), write("memory", "keeps bees")];
came.replaced = write("notes/heron.md", "the heron stands in the reeds\n", { append: false });
came.patched = write("notes/heron.md", "", { oldString: "stands", newString: "sleeps" });
came.read = tools.read({ path: "MEMORY.md" });
came.found = tools.search({ query: "heron reeds", limit: 5 }).hits;
came.tree = JSON.parse(tools.tree({ path: "", depth: 3 }).json);
came.profile = [
  tools.profileSet({ timezone: "Europe/Lisbon" }),
  JSON.parse(lifecycle.profileRead().json),
];
came.recorded = lifecycle.recordInteraction(
  [
    { role: "user", content: "where is the heron?" },
    { role: "assistant", content: "in the reeds" },
  ],
  "t1",
  "r1",
);
came.longTerm = lifecycle.readLongTerm(lane("heron")).snippets;
came.shortTerm = lifecycle.readShortTerm(lane("heron"), "t1").snippets;
came.history = upkeep.history({ path: "notes/heron.md" }).versions;
came.version = upkeep.version({ path: "notes/heron.md", number: 1 }).content;
came.restored = upkeep.restore({ path: "notes/heron.md", number: 1 });
write("notes/gone.md", "soon gone\n", { append: false });
upkeep.delete({ path: "notes/gone.md" });
came.deleted = upkeep.deleted({});
came.refreshed = upkeep.refresh({ paths: [], everything: true, budgetMs: 5000 });
came.checked = JSON.parse(upkeep.check({ repair: false }).json);
came.missing = failure(() => tools.read({ path: "absent.md" }));
came.reserved = failure(() => write("threads/t1/forged.md", "forged"));
came.climbing = failure(() => tools.read({ path: "../../secret.md" }));
came.events = events;

const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value);
process.stdout.write(JSON.stringify(came, plain));
