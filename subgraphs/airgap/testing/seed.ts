import type { Seed } from '@landfall/kernel/operation/seed';
import type { AirGap } from '../index.ts';

export const airgapSeed: Seed<AirGap> = {
  order: 70,
  create: async () => ({ ids: {} }),
};
