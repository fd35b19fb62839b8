// The two imports of the world memory-provider, and WASI with one directory and nothing else.
import { types as filesystem } from "@bytecodealliance/preview2-shim/filesystem";
import { WASIShim } from "@bytecodealliance/preview2-shim/instantiation";

// wasi-libc asks for `mutate-directory` where it opens a file for writing, and the shim
// answers "unsupported" instead of ignoring it (tech-notes section 9).
const openAt = filesystem.Descriptor.prototype.openAt;
filesystem.Descriptor.prototype.openAt = function (pathFlags, path, openFlags, flags) {
  return openAt.call(this, pathFlags, path, openFlags, { ...flags, mutateDirectory: false });
};

export function importsFor({ directory, scope, moment, events }) {
  const context = { boundScope: () => scope, now: () => moment };
  const audit = {
    emit(event) {
      events.push(event.kind);
      return true;
    },
  };
  const shim = new WASIShim({
    sandbox: { preopens: { "/memory": directory }, env: {}, args: [], enableNetwork: false },
  });
  const own = { context, audit, types: {} };
  const named = Object.entries(own).flatMap(([name, value]) => [
    [`ironclaw:memory/${name}`, value],
    [`ironclaw:memory/${name}@0.1.0`, value],
  ]);
  return { ...shim.getImportObject(), ...Object.fromEntries(named) };
}
