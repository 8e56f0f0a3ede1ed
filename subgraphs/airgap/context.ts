import type { Caller } from '@landfall/kernel/core/caller';
import type { AirGap } from './index.ts';

export interface Context extends Pick<AirGap, 'status'> {
  readonly caller: Caller;
}
