import type { Caller } from '@landfall/kernel/core/caller';
import type { Arrivals } from './arrivals/arrivals.ts';
import type { Bundles } from './bundles/bundles.ts';
import type { Holds } from './custody/holds.ts';
import type { Retention } from './custody/retention.ts';
import type { Exports } from './exports/exports.ts';
import type { Loaders } from './loaders.ts';
import type { Artifacts } from './records/artifacts.ts';
import type { Putting } from './records/putting.ts';

export interface Context {
  readonly caller: Caller;
  readonly artifacts: Artifacts & Pick<Putting, 'put'>;
  readonly bundles: Bundles;
  readonly exports: Exports;
  readonly holds: Holds;
  readonly retention: Retention;
  readonly arrivals: Pick<Arrivals, 'failures'>;
  readonly loaders: Loaders;
}
