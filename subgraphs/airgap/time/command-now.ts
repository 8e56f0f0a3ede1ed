import { systemClock } from '@landfall/kernel/core/clock';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import * as clocks from './clocks.store.ts';

/**
 * Time by which commands judge: the latest that is known. A clock that is set back makes nothing valid again; the server
 * asks for an anchor besides while it is sealed.
 */
export const commandNow = async (query: Query, tenant: TenantId): Promise<Date> => {
  const known = await clocks.find(query, tenant);
  return new Date(Math.max(systemClock.now().getTime(), known?.highestNow.getTime() ?? 0));
};

/** The same for what belongs to the installation: the latest time that any tenant knew. Role `landfall_system`. */
export const installationNow = async (query: Query): Promise<Date> => {
  const known = (await clocks.listAll(query)).map(({ highestNow }) => highestNow.getTime());
  return new Date(Math.max(systemClock.now().getTime(), ...known));
};
