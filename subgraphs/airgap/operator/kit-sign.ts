import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotCheck, type Command, callersPath, parse, UsageError } from '@landfall/kernel/operator/command';
import { countersign, MANIFEST_FILE, readManifest } from '../kits/manifest.ts';
import { keysOf, roots } from '../roots/root.ts';
import { countSigners, documentText } from '../roots/signed-document.ts';
import { readFileOf, rootSignersOf } from './key-files.ts';

/** `landfall kit sign`. */
export const kitSign: Command = {
  help: `usage: landfall kit sign <directory> --root <root.json> --key <private key>...

Adds signatures to the manifest of a kit, by keys of the root that it names. The parts are not needed: carry the manifest and
the root alone to whoever has the next key.`,
  async run(args, terminal) {
    const { values, positionals } = parse(args, {
      options: { root: { type: 'string' }, key: { type: 'string', multiple: true } },
      names: ['<directory>'],
    });
    const path = join(callersPath(positionals[0] ?? '', terminal), MANIFEST_FILE);
    let kit = readManifest(await readFileOf(path, terminal));
    if (values.root === undefined) throw new UsageError('--root is missing.');
    const root = roots.read(await readFileOf(values.root, terminal));
    const { version, threshold } = root.value;
    if (kit.value.rootVersion !== version)
      throw new CannotCheck(`The kit names root ${kit.value.rootVersion}; ${values.root} is root ${version}.`);
    for (const signer of await rootSignersOf(values.key ?? [], root, terminal)) kit = await countersign(kit, signer);
    // A power cut leaves the manifest as it was.
    await writeFile(`${path}.new`, documentText(kit));
    await rename(`${path}.new`, path);
    const count = countSigners(kit, keysOf(root.value));
    terminal.print(`Kit ${kit.value.kitId}: signatures of keys of root ${version}: ${count} of ${threshold}.`);
    return 0;
  },
};
