import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, callersPath, parse } from '@landfall/kernel/operator/command';
import { countersign, MANIFEST_FILE, readManifest } from '../kits/manifest.ts';
import { documentText } from '../roots/signed-document.ts';
import { readFileOf, signersOf } from './key-files.ts';

/** `landfall kit sign`. */
export const kitSign: Command = {
  help: `usage: landfall kit sign <directory> --key <private key>...

Adds signatures to the manifest of a kit. The parts are not needed: carry the manifest alone to whoever has the next key.`,
  async run(args, terminal) {
    const { values, positionals } = parse(args, {
      options: { key: { type: 'string', multiple: true } },
      names: ['<directory>'],
    });
    const path = join(callersPath(positionals[0] ?? '', terminal), MANIFEST_FILE);
    let kit = readManifest(await readFileOf(path, terminal));
    for (const signer of await signersOf(values.key ?? [], terminal)) kit = await countersign(kit, signer);
    // A power cut leaves the manifest as it was.
    await writeFile(`${path}.new`, documentText(kit));
    await rename(`${path}.new`, path);
    terminal.print(`Kit ${kit.value.kitId} has ${kit.envelope.signatures.length} signatures.`);
    return 0;
  },
};
