import { Fault } from '@landfall/kernel/core/fault';
import { isTenantId, randomIds } from '@landfall/kernel/core/ids';
import { CannotCheck, type Command, type CommandHost, DATABASE_HELP, parse } from '@landfall/kernel/operator/command';
import { createDomainAssignments } from '../federation/domain-assignments.ts';
import { ACTOR, describeFault } from './tenants.ts';

const HELP = `usage: landfall tenant domain <slug> <domain> [--withdraw]

Says that an e-mail domain is a tenant's: people whose user names end in it are sent to the tenant's identity provider that
has the domain. For domains that are not in public DNS; others prove themselves by a TXT record, which the console shows at
Access, Single sign-on. With --withdraw the domain is unproven again, however it was proven, and sends nobody anywhere. A
domain is one tenant's: withdraw it there before another has it.

${DATABASE_HELP}`;

export const tenantDomain = (host: CommandHost): Command => ({
  help: HELP,
  async run(args, { print }) {
    const { positionals, values } = parse(args, {
      options: { withdraw: { type: 'boolean' } },
      names: ['slug', 'domain'],
    });
    const [slug = '', name = ''] = positionals;
    if (!isTenantId(slug)) throw new CannotCheck(`There is no tenant ${slug}.`);
    const domain = name.toLowerCase();
    await using installation = await host.open();
    const assignments = createDomainAssignments({ ...installation, ids: randomIds }, ACTOR);
    try {
      await (values.withdraw ? assignments.withdraw : assignments.assign)(slug, domain);
    } catch (error) {
      if (error instanceof Fault && error.status < 500) throw new CannotCheck(describeFault(error));
      throw error;
    }
    print(values.withdraw ? `withdrawn  ${domain}  ${slug}` : `assigned  ${domain}  ${slug}`);
    return 0;
  },
});
