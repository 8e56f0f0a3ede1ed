import { Fault } from '@landfall/kernel/core/fault';
import { randomIds } from '@landfall/kernel/core/ids';
import {
  CannotCheck,
  type Command,
  type CommandHost,
  DATABASE_HELP,
  parse,
  type Terminal,
  UsageError,
} from '@landfall/kernel/operator/command';
import { linkAddress } from '../users/account-links.ts';
import type { RecoveryLink, RecoveryObstacle } from '../users/administrator-recovery.ts';
import { createBootstrap } from './bootstrap.ts';
import { parseAdmin } from './first-admin.ts';

const HELP = `usage: landfall admin create <tenant>/<user name> [--name <display name>] [--password-stdin] [--again]

Makes the first administrator of a tenant, and the tenant where there is none of that slug. Prints a link, good for seven
days and once, by which the person chooses a password; with --password-stdin the password is the first line of standard
input instead. An administrator of the tenant who has no way to sign in yet is let in again in the same way, and the
link before it ends. Anybody else in a tenant that has people changes nothing and the exit code is 1: its administrators
let in others (Access in the console).

  --again   lets in an administrator who could sign in: their password, second factors, passkeys, sessions and tokens
            end; the link is good for an hour

${DATABASE_HELP} The database must have been prepared by a first start.`;

const TARGET = '<tenant>/<user name>';

const targetOf = (input: string) => {
  try {
    return parseAdmin(input);
  } catch {
    throw new UsageError(`'${input}' is not ${TARGET}, as acme/ana.`);
  }
};

/** The first line of standard input. @throws CannotCheck when there is none */
const readPassword = async ({ readInput }: Terminal): Promise<string> => {
  const [line = ''] = (await readInput()).split(/\r?\n/);
  if (line === '') throw new CannotCheck('Standard input has no password in its first line.');
  return line;
};

const refusalOf = (error: unknown): unknown => {
  if (!(error instanceof Fault) || error.status >= 500) return error;
  const fields = error.fields.map(({ field, message }) => `${field} ${message}`);
  return new CannotCheck(fields.length > 0 ? fields.join('; ') : error.message);
};

/** Why nothing was changed. */
const obstacleMessages: Readonly<Record<RecoveryObstacle, (tenant: string, username: string) => string>> = {
  unknown: (tenant) =>
    `The tenant ${tenant} has people already; nothing was changed. Its administrators let in others.`,
  'no-administrator': (tenant, username) =>
    `${username} is no administrator of ${tenant}; nothing was changed. Its administrators let in others.`,
  deactivated: (tenant, username) =>
    `${username} of ${tenant} is deactivated; nothing was changed. Another administrator reactivates them.`,
  'can-sign-in': (tenant, username) =>
    `The tenant ${tenant} has people already, and ${username} can sign in; nothing was changed. With --again all that they sign in with ends, and they are let in anew.`,
};

export const adminCreate = (host: CommandHost): Command => ({
  help: HELP,
  run: async (args, terminal) => {
    const options = {
      name: { type: 'string' },
      'password-stdin': { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
    } as const;
    const { positionals, values } = parse(args, { options, names: [TARGET] });
    const { tenant, username } = targetOf(positionals[0] ?? '');
    const password = values['password-stdin'] ? await readPassword(terminal) : undefined;
    const { platform } = await host.settings();
    await using installation = await host.open();
    const bootstrap = createBootstrap({ ...installation, ids: randomIds });
    try {
      const person = { tenant, username, displayName: values.name ?? username, ...(password && { password }) };
      const printLink = ({ token, expiresAt }: RecoveryLink): void => {
        if (token === null) return;
        const address = linkAddress(platform.authUrl, token);
        terminal.print(`Choose a password, once, until ${expiresAt?.toISOString()}:\n${address}`);
      };
      const created = await bootstrap.createFirstAdmin(person);
      const admission = created ?? (await bootstrap.recoverAdmin(person, { force: values.again }));
      if (typeof admission === 'string') {
        terminal.print(obstacleMessages[admission](tenant, username));
        return 1;
      }
      terminal.print(
        created ? `${username} is the first administrator of ${tenant}.` : `${username} of ${tenant} is let in again.`,
      );
      printLink(admission);
      return 0;
    } catch (error) {
      throw refusalOf(error);
    }
  },
});
