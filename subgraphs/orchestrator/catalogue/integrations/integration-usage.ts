import { Fault } from '@landfall/kernel/core/fault';
import { id, oneOf, text } from '@landfall/kernel/db/columns';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { firstNames } from '../../shared/first-names.ts';

export const MAX_USES = 20;

export const usages = table('orchestrator.usages', {
  type: oneOf('Release', 'ReleaseSource', 'Environment', 'Target', 'VariableSet'),
  id: id('Usage'),
  name: text,
});

export type Usage = RowOf<typeof usages>;

const usageNouns: Readonly<Record<Usage['type'], string>> = {
  Release: 'release',
  ReleaseSource: 'source of',
  Environment: 'analysis of environment',
  Target: 'target',
  VariableSet: 'variables of environment',
};

/** Refuses a change of something that is in use, and lists the uses. */
export const usageRefusal = (name: string, uses: readonly Usage[]): Fault | undefined => {
  if (uses.length === 0) return undefined;
  const names = firstNames(uses.map(({ type, name }) => `${usageNouns[type]} ${name}`));
  return new Fault('RES_CONFLICT', `${name} is in use: ${names}. Change that first.`, {
    usedBy: uses.map(({ type, id: usedBy, name }) => ({ type, id: usedBy, name })),
  });
};
