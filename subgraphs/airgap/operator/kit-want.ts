import { writeFile } from 'node:fs/promises';
import { systemClock } from '@landfall/kernel/core/clock';
import { type Command, type CommandHost, callersPath, DATABASE_HELP, parse } from '@landfall/kernel/operator/command';
import { createWantList, signWantList } from '../kits/want-list.ts';
import { signerOf } from './key-files.ts';

/** `landfall kit want`. */
export const kitWant = (host: CommandHost): Command => ({
  help: `usage: landfall kit want <file> --key <private key> [--tenant <tenant>]

Writes the list of what this site has to <file>: the kit that is installed in each channel, and the hashes of what kits
brought. The key signs it; whoever builds kits needs the public key in PEM.

${DATABASE_HELP}`,
  async run(args, terminal) {
    const { values, positionals } = parse(args, {
      options: { key: { type: 'string' }, tenant: { type: 'string' } },
      names: ['<file>'],
    });
    const signer = await signerOf(values.key ?? '', terminal);
    await using installation = await host.open();
    const tenant = await host.tenantOf(installation, values.tenant);
    const createdAt = `${systemClock.now().toISOString().slice(0, 19)}Z`;
    const list = await installation.database.read(tenant, (query) => createWantList(query, tenant, createdAt));
    await writeFile(callersPath(positionals[0] ?? '', terminal), await signWantList(list, signer), { flag: 'wx' });
    terminal.print(`${list.heads.length} channels, ${list.contents.length} pieces of content.`);
    return 0;
  },
});
