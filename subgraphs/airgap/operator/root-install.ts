import { type Command, type CommandHost, DATABASE_HELP, parse, type Terminal } from '@landfall/kernel/operator/command';
import { installRoots } from '../roots/installed-root.ts';
import { keysOf, roots, type SignedRoot } from '../roots/root.ts';
import { installationNow } from '../time/command-now.ts';
import { readFileOf } from './key-files.ts';

const print = ({ value, digest }: SignedRoot, terminal: Terminal): void => {
  const { version, threshold, expiresAt } = value;
  terminal.print(`Root ${version} is installed: ${digest}`);
  terminal.print(`Kits need ${threshold} of ${keysOf(value).length} keys. The root expires at ${expiresAt}.`);
};

/** `landfall kit root install`. */
export const rootInstall = (host: CommandHost): Command => ({
  help: `usage: landfall kit root install <file>...

Installs a root of kits. You vouch for the first one of this installation: compare its digest with that of those who made
it. Every later root needs signatures of the keys of the root before it and of its own, and is installed once, in order.
A site that missed some takes them at once, in order; only the last must not have expired.

${DATABASE_HELP}`,
  async run(args, terminal) {
    const { positionals } = parse(args, { options: {}, names: ['<file>'], isOpen: true });
    const chain: SignedRoot[] = [];
    for (const path of positionals) chain.push(roots.read(await readFileOf(path, terminal)));
    await using installation = await host.open();
    const now = await installation.database.system.read(installationNow);
    await installRoots(installation.database, chain, { now, by: 'command-line' });
    for (const root of chain) print(root, terminal);
    return 0;
  },
});
