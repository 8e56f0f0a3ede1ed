import { Fault } from '@landfall/kernel/core/fault';
import { firstNames } from '../../shared/first-names.ts';
import type { EnvironmentUse } from './environments.store.ts';

/** Refuses to remove an environment while something uses it, and names what. */
export const removeRefusal = (uses: readonly EnvironmentUse[]): Fault | undefined => {
  if (uses.length === 0) return undefined;
  const byName = (requested: EnvironmentUse['kind']) =>
    uses.flatMap(({ kind, id, name }) => (kind === requested ? [{ id, name }] : []));
  const details = { targets: byName('target'), products: byName('product'), promotions: byName('promotion') };
  const users = Object.entries(details).flatMap(([kind, items]) =>
    items.length === 0 ? [] : `${kind} (${firstNames(items.map(({ name }) => name))})`,
  );
  return new Fault(
    'RES_CONFLICT',
    `This environment is in use by ${users.join(', ')}. Remove its targets, steps and promotions first.`,
    details,
  );
};
