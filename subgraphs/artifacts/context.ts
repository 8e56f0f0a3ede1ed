import type { Caller } from '@landfall/kernel/core/caller';
import type { ArtifactStore } from './index.ts';
import type { Loaders } from './loaders.ts';

type Parts = 'artifacts' | 'bundles' | 'exports' | 'holds' | 'retention' | 'arrivals';

export interface Context extends Pick<ArtifactStore, Parts> {
  readonly caller: Caller;
  readonly loaders: Loaders;
}
