// node transpile.mjs COMPONENT OUT: the component as JavaScript and core modules.
// jco-transpile is the transpiler of jco 1.35.0 without its toolchains for other languages.
import { transpile, writeFiles } from "@bytecodealliance/jco-transpile";

const [component, out] = process.argv.slice(2);
const { files } = await transpile(component, { outDir: out, name: "memory", instantiation: "async" });
await writeFiles(files);
