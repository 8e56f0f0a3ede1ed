import type { Caller } from '@landfall/kernel/core/caller';
import type { Control } from './control.ts';
import type { AirGap } from './index.ts';
import type { Loaders } from './loaders.ts';

export interface Context extends Pick<AirGap, 'kits' | 'kitImports' | 'mirrors' | 'sync'> {
  readonly caller: Caller;
  readonly control: Control;
  readonly loaders: Loaders;
}
