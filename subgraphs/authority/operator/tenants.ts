import { Fault } from '@landfall/kernel/core/fault';
import { randomIds } from '@landfall/kernel/core/ids';
import {
  CannotCheck,
  type Command,
  type CommandHost,
  DATABASE_HELP,
  type ExitCode,
  parse,
  type Terminal,
} from '@landfall/kernel/operator/command';
import { createTenants, type Tenant, type TenantSet, type Tenants } from '../tenants/tenants.ts';

const WHERE = `${DATABASE_HELP} Only the operator sets what a tenant may have: no request to the server changes it.`;

const LIST_HELP = `usage: landfall tenant list

Lists the tenants: slug, name, whether active, registry plans (the default first) and licence.

${WHERE}`;

const SET_HELP = `usage: landfall tenant set <slug> [--name <name>] [--plans <plan>,<plan>…] [--license <licence>]

Brings a tenant to these terms, and makes it when there is none of that slug and it is given a name; says what it did. What
is left out stays. The first plan is that of clients that name none; --plans '' and --license '' take them away. New
tokens say what is set here, in the claims svc:plan and svc:license. A plan that RegistryToken:Plans does not have is pointed out.

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

/** Describes a refusal in terms of the command line: the fields are its flags. */
export const describeFault = (fault: Fault): string =>
  fault.fields.length === 0
    ? fault.message
    : fault.fields.map(({ field, message }) => `${field === 'tenant' ? '<slug>' : `--${field}`} ${message}`).join('; ');

/** Actor of command-line changes in the audit trail. */
export const ACTOR = 'command-line';

/** Runs on the tenants of the installation that the settings name. */
const withTenants = async (
  host: CommandHost,
  { print }: Terminal,
  run: (tenants: Tenants) => Promise<readonly string[]>,
): Promise<ExitCode> => {
  await using installation = await host.open();
  try {
    for (const line of await run(createTenants({ ...installation, ids: randomIds }, ACTOR))) print(line);
  } catch (error) {
    if (error instanceof Fault && error.status < 500) throw new CannotCheck(describeFault(error));
    throw error;
  }
  return 0;
};

export const tenantList = (host: CommandHost): Command => ({
  help: LIST_HELP,
  run: (args, terminal) => {
    parse(args, { options: {}, names: [] });
    return withTenants(host, terminal, async (tenants) => (await tenants.list()).map(lineOf));
  },
});

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Warns of plans that the settings here do not have; the server's may be others, so that it is no refusal. */
const warnOfUnknownPlans = async (plans: readonly string[], host: CommandHost, { warn }: Terminal): Promise<void> => {
  const { partialGrants: _, ...known } = Object((await host.settings()).values.registryTokenPlans);
  const unknown = plans.filter((plan) => !Object.hasOwn(known, plan));
  if (unknown.length === 0) return;
  const names = Object.keys(known);
  const existing = names.length > 0 ? `they have ${names.join(', ')}` : 'they have none';
  warn(
    `landfall: RegistryToken:Plans of the settings here has no ${unknown.join(', ')} (${existing}). Unless the server's have, its registry tokens are refused.`,
  );
};

const outcomeLine = ({ is, outcome }: TenantSet): string => `${outcome}  ${lineOf(is)}`;

export const tenantSet = (host: CommandHost): Command => ({
  help: SET_HELP,
  run: (args, terminal) => {
    const options = { name: { type: 'string' }, plans: { type: 'string' }, license: { type: 'string' } } as const;
    const { positionals, values } = parse(args, { options, names: ['slug'] });
    const { name, plans, license } = values;
    const terms = {
      tenant: positionals[0] ?? '',
      ...(name !== undefined && { name }),
      ...(plans !== undefined && { plans: listOf(plans) }),
      ...(license !== undefined && { license }),
    };
    return withTenants(host, terminal, async (tenants) => {
      const after = await tenants.set(terms);
      await warnOfUnknownPlans(terms.plans ?? [], host, terminal);
      return [outcomeLine(after)];
    });
  },
});

/** A command of one tenant that prints its state afterwards. */
const ofOne =
  (help: string, change: (tenants: Tenants, slug: string) => Promise<Tenant>) =>
  (host: CommandHost): Command => ({
    help,
    run: (args, terminal) => {
      const [slug = ''] = parse(args, { options: {}, names: ['slug'] }).positionals;
      return withTenants(host, terminal, async (tenants) => [lineOf(await change(tenants, slug))]);
    },
  });

export const tenantStop = ofOne(STOP_HELP, (tenants, slug) => tenants.stop(slug));
export const tenantResume = ofOne(RESUME_HELP, (tenants, slug) => tenants.resume(slug));
