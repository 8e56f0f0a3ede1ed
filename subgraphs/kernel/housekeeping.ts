import type { Query } from './db/query.ts';
import { prune as pruneDenylist } from './denylist.ts';
import { prune as pruneProofs } from './dpop.store.ts';
import { pruneNotices } from './events/read.ts';
import { prune as pruneIdempotency } from './idempotency.ts';
import type { Deps, Worker } from './module.ts';
import { createSchedule, type Duty } from './schedule.ts';
import { prune as pruneSessions } from './session.store.ts';

const prunes: Readonly<Record<string, (query: Query) => Promise<number>>> = {
  dpopProofs: pruneProofs,
  idempotency: pruneIdempotency,
  notices: pruneNotices,
  revokedTokens: pruneDenylist,
  sessions: pruneSessions,
};

/** Forgets, once an hour, what the kernel's own tables hold past its time. */
export const housekeeping = ({ database, log }: Pick<Deps, 'database' | 'log'>): Duty => ({
  name: 'kernel.housekeeping',
  pattern: '17 * * * *',
  async run() {
    const pruned: Record<string, number> = {};
    for (const [what, prune] of Object.entries(prunes)) pruned[what] = await database.system.write(prune);
    log.info({ pruned }, 'housekeeping');
  },
});

export const createHousekeeping = (deps: Pick<Deps, 'database' | 'log'>): Worker =>
  createSchedule(deps, 'kernel.housekeeping', [housekeeping(deps)]);
