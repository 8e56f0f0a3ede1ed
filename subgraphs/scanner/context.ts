import type { Caller } from '@landfall/kernel/core/caller';
import type { Scans } from './scans/scans.ts';

export interface Context {
  readonly caller: Caller;
  readonly scans: Scans;
}
