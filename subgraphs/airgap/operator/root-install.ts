import { systemClock } from '@landfall/kernel/core/clock';
import { type Command, type CommandHost, DATABASE_HELP, parse } from '@landfall/kernel/operator/command';
import { installRoot } from '../roots/installed-root.ts';
import { keysOf, roots } from '../roots/root.ts';
import { readFileOf } from './key-files.ts';

/** `landfall kit root install`. */
export const rootInstall = (host: CommandHost): Command => ({
  help: `usage: landfall kit root install <file>

Installs a root of kits. You vouch for the first one of this installation: compare its digest with that of those who made
it. Every later root needs signatures of the keys of the root before it and of its own, and is installed once, in order.

${DATABASE_HELP}`,
  async run(args, terminal) {
    const { positionals } = parse(args, { options: {}, names: ['<file>'] });
    const root = roots.read(await readFileOf(positionals[0] ?? '', terminal));
    await using installation = await host.open();
    await installRoot(installation.database, root, { now: systemClock.now(), by: 'command-line' });
    const { version, threshold, expiresAt } = root.value;
    terminal.print(`Root ${version} is installed: ${root.digest}`);
    terminal.print(`Kits need ${threshold} of ${keysOf(root.value).length} keys. The root expires at ${expiresAt}.`);
    return 0;
  },
});
