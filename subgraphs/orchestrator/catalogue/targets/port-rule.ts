import { MAX_PORT } from '@landfall/agent/protocol/limits';
import { Fault } from '@landfall/kernel/core/fault';
import { portOf } from './drivers.ts';
import type { Target } from './targets.store.ts';

/**
 * Refuses a release whose number of components exceeds the ports of these targets: each component uses the next port.
 */
export const portsRefusal = (
  targets: readonly Pick<Target, 'id' | 'name' | 'config'>[],
  componentCount: number,
): Fault | undefined => {
  const outside = targets.filter(({ config }) => (portOf(config, componentCount - 1) ?? 0) > MAX_PORT);
  if (outside.length === 0) return undefined;
  return new Fault(
    'RES_CONFLICT',
    `A target has no port for each of ${componentCount} components. Give it a lower one.`,
    {
      componentCount,
      targets: outside.map(({ id, name, config }) => ({ id, name, port: config.port })),
    },
  );
};
