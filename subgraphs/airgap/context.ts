import type { Caller } from '@landfall/kernel/core/caller';
import type { AirGap } from './index.ts';
import type { Loaders } from './loaders.ts';

export interface Context extends Pick<AirGap, 'status' | 'kits' | 'kitImports' | 'mirrors'> {
  readonly caller: Caller;
  readonly loaders: Loaders;
}
