import {
  type Command,
  type CommandHost,
  counted,
  DATABASE_HELP,
  parse,
  type Terminal,
  UsageError,
} from '@landfall/kernel/operator/command';
import { findRoot, installRoots } from '../roots/installed-root.ts';
import { keysOf, roots, type SignedRoot } from '../roots/root.ts';
import { installationNow } from '../time/command-now.ts';
import { readFileOf } from './key-files.ts';

const print = ({ value, digest }: SignedRoot, terminal: Terminal): void => {
  const { version, threshold, expiresAt } = value;
  terminal.print(`Root ${version} is installed: ${digest}`);
  terminal.print(
    `Kits need ${threshold} of ${counted(keysOf(value).length, 'key')}. The root expires at ${expiresAt}.`,
  );
};

/** `landfall kit root install`. */
export const rootInstall = (host: CommandHost): Command => ({
  help: `usage: landfall kit root install <file>... [--digest <digest>]

Installs a root of kits. You vouch for the first one of this installation: --digest is its digest as those who made it say it. Every later root needs signatures of the keys of the root before it and of its own, and is installed once, in order.
A site that missed some takes them at once, in order; only the last must not have expired.

${DATABASE_HELP}`,
  async run(args, terminal) {
    const options = { digest: { type: 'string' } } as const;
    const { values, positionals } = parse(args, { options, names: ['<file>'], isOpen: true });
    const chain: SignedRoot[] = [];
    for (const path of positionals) chain.push(roots.read(await readFileOf(path, terminal)));
    await using installation = await host.open();
    const { now, installed } = await installation.database.system.read(async (query) => ({
      now: await installationNow(query),
      installed: await findRoot(query),
    }));
    const [first] = chain;
    if (!installed && first && values.digest !== first.digest)
      throw new UsageError(
        values.digest === undefined
          ? 'The first root needs --digest: ask those who made it, by another way than this file came.'
          : `The root has the digest ${first.digest}, not ${values.digest}. Do not install it.`,
      );
    await installRoots(installation.database, chain, { now, by: 'command-line' });
    for (const root of chain) print(root, terminal);
    return 0;
  },
});
