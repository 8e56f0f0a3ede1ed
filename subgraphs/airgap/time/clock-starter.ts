import type { Deps, PeopleDirectory } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as clocks from './clocks.store.ts';

const POLL_MS = 60_000;

interface StarterDeps extends Pick<Deps, 'database' | 'clock' | 'log'> {
  readonly people: Pick<PeopleDirectory, 'listTenants'>;
}

/** Creates the worker that begins the clock of every tenant, so that one without an anchor has a latest time too. */
export const createClockStarter = ({ database, clock, log, people }: StarterDeps) => {
  const turn = async (): Promise<number> => {
    const tenants = await database.system.read(people.listTenants);
    await database.system.write((tx) => clocks.beginAll(tx, tenants, clock.now()));
    return 0;
  };
  return { turn, worker: pollingWorker({ name: 'airgap.clockStarts', pollMs: POLL_MS, log, turn }) };
};
