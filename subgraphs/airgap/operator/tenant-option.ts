import { type TenantId, toTenantId } from '@landfall/kernel/core/ids';
import { CannotCheck, type CommandHost, type Installation } from '@landfall/kernel/operator/command';

/** Tenant of a command: the named one, or the only one. @throws CannotCheck */
export const tenantOf = async (
  host: CommandHost,
  installation: Installation,
  named: string | undefined,
): Promise<TenantId> => {
  const tenants = await host.tenants(installation);
  const tenant = named ?? (tenants.length === 1 ? tenants[0] : undefined);
  if (tenant === undefined) throw new CannotCheck(`Name a tenant by --tenant: ${tenants.join(', ')}.`);
  if (!tenants.includes(tenant)) throw new CannotCheck(`There is no tenant ${tenant}.`);
  return toTenantId(tenant);
};
