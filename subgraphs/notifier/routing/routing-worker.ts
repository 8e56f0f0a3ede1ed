import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { Signal } from '../shared/signal.ts';
import type { Router } from './router.ts';

/** Pause between looks while nothing was accepted in this process. */
const POLL_MS = 500;

/** Worker that routes events as they are accepted, in every process with the worker role. */
export const createRoutingWorker = ({
  log,
  route,
  accepted,
}: Pick<Deps, 'log'> & { readonly route: Router; readonly accepted: Signal }): Worker =>
  pollingWorker({ name: 'notifier.routing', pollMs: POLL_MS, hints: accepted, log, turn: route });
