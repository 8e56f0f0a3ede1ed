import { createTenants, type Tenant, type Tenants } from '@landfall/authority';
import { Fault } from '@landfall/kernel/fault';
import { randomIds } from '@landfall/kernel/ids';
import { CannotCheck, type Command, type ExitCode, parse } from './command.ts';
import { openInstallation, readSettings } from './installation.ts';

const WHERE = `Works on the database of the settings: DATABASE_URL, or the embedded one below LANDFALL_DATA_DIR, whether the server
runs or not. What a tenant may have is the operator's word: no door of the server changes it.`;

const LIST_HELP = `usage: landfall tenant list

Lists the tenants: slug, name, whether active, registry plans (the default first) and licence.

${WHERE}`;

const SET_HELP = `usage: landfall tenant set <slug> [--name <name>] [--plans <plan>,<plan>…] [--license <licence>]

Brings a tenant to these terms, and makes it when there is none of that slug. What is left out stays. The first plan is that of
clients that name none; --plans '' and --license '' take them away. New tokens say what is set here, in the claims svc:plan and
svc:license.

${WHERE}`;

const STOP_HELP = `usage: landfall tenant stop <slug>

Ends at once whatever was issued in a tenant: no sign-in, no token, no call. Its rows stay.

${WHERE}`;

const RESUME_HELP = `usage: landfall tenant resume <slug>

Lets a stopped tenant go on. Tokens that were issued before and have not expired are good again.

${WHERE}`;

const lineOf = ({ tenant, name, active, plans, license }: Tenant): string =>
  [
    tenant,
    name,
    active ? 'active' : 'stopped',
    `plans ${plans.length > 0 ? plans.join(',') : 'none'}`,
    `licence ${license ?? 'none'}`,
  ].join('  ');

/** What a refusal says of the command line: the fields are its flags. */
const inWords = (fault: Fault): string =>
  fault.fields.length === 0
    ? fault.message
    : fault.fields.map(({ field, message }) => `${field === 'tenant' ? '<slug>' : `--${field}`} ${message}`).join('; ');

/** Runs on the tenants of the installation that the settings name. */
const withTenants = async (
  act: (tenants: Tenants) => Promise<readonly Tenant[]>,
  say: (line: string) => void,
): Promise<ExitCode> => {
  await using installation = await openInstallation(await readSettings());
  try {
    for (const tenant of await act(createTenants({ ...installation, ids: randomIds }))) say(lineOf(tenant));
  } catch (error) {
    if (error instanceof Fault && error.status < 500) throw new CannotCheck(inWords(error));
    throw error;
  }
  return 0;
};

export const tenantList: Command = {
  help: LIST_HELP,
  run: (args, say) => {
    parse(args, { options: {}, names: [] });
    return withTenants((tenants) => tenants.list(), say);
  },
};

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

export const tenantSet: Command = {
  help: SET_HELP,
  run: (args, say) => {
    const options = { name: { type: 'string' }, plans: { type: 'string' }, license: { type: 'string' } } as const;
    const { positionals, values } = parse(args, { options, names: ['slug'] });
    const { name, plans, license } = values;
    const terms = {
      tenant: positionals[0] ?? '',
      ...(name !== undefined && { name }),
      ...(plans !== undefined && { plans: listOf(plans) }),
      ...(license !== undefined && { license }),
    };
    return withTenants(async (tenants) => [await tenants.set(terms)], say);
  },
};

/** A command of one tenant that says how it stands then. */
const ofOne = (help: string, act: (tenants: Tenants, slug: string) => Promise<Tenant>): Command => ({
  help,
  run: (args, say) => {
    const [slug = ''] = parse(args, { options: {}, names: ['slug'] }).positionals;
    return withTenants(async (tenants) => [await act(tenants, slug)], say);
  },
});

export const tenantStop = ofOne(STOP_HELP, (tenants, slug) => tenants.stop(slug));
export const tenantResume = ofOne(RESUME_HELP, (tenants, slug) => tenants.resume(slug));
