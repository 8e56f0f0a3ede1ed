import { setTimeout as sleep } from 'node:timers/promises';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { runLeased } from '@landfall/kernel/work/schedule';
import Type from 'typebox';
import type { Corpus } from '../corpus/corpus.ts';
import type { Feed } from '../corpus/feed.ts';
import { SCOPES, searchOperations } from '../shared/operations.ts';
import { type Adapters, type Provenance, sourcesLease } from './adapters.ts';

interface Rebuilt {
  readonly domainCount: number;
  readonly chunkCount: number;
  readonly durationMs: number;
  readonly adapters: readonly Provenance[];
}

interface RebuildDeps extends Deps {
  readonly adapters: Pick<Adapters, 'refresh'>;
  readonly corpus: Pick<Corpus, 'summary'>;
  readonly projection: { rebuild(tenant: TenantId): Promise<unknown> };
  readonly feed: Pick<Feed, 'reindex'>;
  /** Wait for another rebuild or refresh; half a minute by default. */
  readonly waitMs?: number | undefined;
}

const WAIT_MS = 30_000;
const POLL_MS = 200;

const alreadyRebuilding = (): Fault =>
  new Fault('RES_CONFLICT', 'The tenant’s documents are being read already. Try again when that is done.', {
    state: 'rebuilding',
  });

export const createRebuild = ({ adapters, corpus, projection, feed, waitMs = WAIT_MS, ...deps }: RebuildDeps) => {
  const { database } = deps;
  const operation = searchOperations(deps.operation);

  const build = async (caller: Who): Promise<Rebuilt> => {
    const startedMs = performance.now();
    const provenances = await adapters.refresh(caller.tenant, caller);
    await projection.rebuild(caller.tenant);
    await feed.reindex(caller.tenant);
    const summary = await corpus.summary(caller.tenant);
    return {
      domainCount: new Set(summary.map(({ domain }) => domain)).size,
      chunkCount: summary.reduce((total, { chunkCount }) => total + chunkCount, 0),
      durationMs: Math.round(performance.now() - startedMs),
      adapters: provenances,
    };
  };

  /** Runs one rebuild of a tenant at a time across processes; a second one waits. @throws Fault RES_CONFLICT */
  const buildExclusively = async (caller: Who): Promise<Rebuilt> => {
    let outcome: PromiseSettledResult<Rebuilt> | undefined;
    // A build that fails ends its lease as well, so that it can be tried again at once.
    const run = async (): Promise<void> => {
      [outcome] = await Promise.allSettled([build(caller)]);
    };
    for (const until = performance.now() + waitMs; ; await sleep(POLL_MS)) {
      if (await runLeased({ database }, { name: sourcesLease(caller.tenant), isDue: () => true, run })) break;
      if (performance.now() >= until) throw alreadyRebuilding();
    }
    if (outcome?.status === 'fulfilled') return outcome.value;
    throw outcome?.reason;
  };

  return {
    rebuild: operation({
      name: 'searchIndex.rebuild',
      cost: 4_000,
      kind: 'write',
      scope: SCOPES.admin,
      input: Type.Object({}),
      raises: ['RES_CONFLICT'],
      prepare: buildExclusively,
      async run(caller, _input, tx, rebuilt: Rebuilt) {
        const { domainCount, chunkCount, durationMs } = rebuilt;
        const data = { domainCount, chunkCount, durationMs };
        await event(tx, caller, 'searchIndex.rebuild', { entity: 'SearchIndex', id: caller.tenant, version: 1, data });
        return rebuilt;
      },
    }),
  };
};

export type Rebuild = ReturnType<typeof createRebuild>;
