import { Fault } from '@landfall/kernel/core/fault';
import type { EnvironmentUse } from './environments.store.ts';

/** Refuses to remove an environment while something uses it, and names what. */
export const removeRefusal = (uses: readonly EnvironmentUse[]): Fault | undefined => {
  if (uses.length === 0) return undefined;
  const named = (wanted: EnvironmentUse['kind']) =>
    uses.flatMap(({ kind, id, name }) => (kind === wanted ? [{ id, name }] : []));
  return new Fault('RES_CONFLICT', 'This environment is in use. Remove its targets, steps and promotions first.', {
    targets: named('target'),
    products: named('product'),
    promotions: named('promotion'),
  });
};
