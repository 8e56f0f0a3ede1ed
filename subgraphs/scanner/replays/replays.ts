import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { digest, instant } from '@landfall/kernel/operation/input';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type from 'typebox';
import { scanFactors } from '../score/factor-sources.ts';
import { replayInTurns } from '../score/replay.ts';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import { freezeTimeOf } from './freeze-time.ts';
import { expectScan, type FrozenState, findFrozenByImage, lockFreeze, readFrozen } from './frozen-scans.ts';
import * as bundleStore from './proof-bundles.store.ts';
import { createReplayHistory, LIST_LIMIT } from './replay-history.ts';
import * as store from './score-replays.store.ts';
import { type BundleStore, scoreAndProve, type VerificationStatus } from './scored-bundle.ts';

interface ReplayDeps extends Pick<Deps, 'operation' | 'database' | 'clock'> {
  readonly bundles: BundleStore;
  /** Whether the history on REST is that of all processes, from the database. */
  readonly isHistoryDurable: boolean;
}

const record = eventsOf('Scan');

/** Cost of reading, scoring and proving a scan of some thousand findings. */
const COST = 100;

type Scored = Awaited<ReturnType<typeof scoreAndProve>> & {
  readonly state: FrozenState;
  readonly freezeTimestamp: string;
  readonly replayedAt: Date;
};

const recordOf = ({
  replayed,
  path,
  bundleHash,
  freezeTimestamp,
  replayedAt,
  state,
}: Scored): store.RecordedReplay => ({
  scanId: state.scan.id,
  freezeNumber: state.stored.freezeNumber,
  rootHash: replayed.rootHash,
  canonicalInputHash: replayed.canonicalInputHash,
  manifestDigest: replayed.manifestDigest,
  scorePpm: replayed.score,
  factors: scanFactors(replayed),
  freezeTimestamp: new Date(freezeTimestamp),
  replayedAt,
  bundleHash,
  bundlePath: path,
});

/** Stores the row of a replay and of its bundle. The same replay at the same instant is one row. */
const insert = async (tx: Tx, tenant: TenantId, replay: store.RecordedReplay): Promise<void> => {
  const {
    scanId,
    freezeNumber,
    rootHash,
    bundleHash,
    bundlePath: path,
    freezeTimestamp,
    replayedAt: createdAt,
  } = replay;
  await store.insertIfAbsent(tx, tenant, replay);
  await bundleStore.removeReplaced(tx, tenant, { scanId, path, rootHash });
  const bundle = { scanId, freezeNumber, rootHash, bundleHash, path, freezeTimestamp, createdAt };
  await bundleStore.insertIfAbsent(tx, tenant, { ...bundle, bundleType: 'score' });
};

/** Answer of a replay: its row, and what is not stored. */
export interface ReplayOutcome extends store.RecordedReplay {
  readonly manifestHash: string;
  readonly deterministic: boolean;
  readonly canonicalInputPayload: string;
  readonly seedHex: string;
  readonly verificationStatus: VerificationStatus;
}

const outcomeOf = (scored: Scored): ReplayOutcome => {
  const { manifestHash, deterministic } = scored.state.input.manifest;
  const { canonicalInputPayload, seedHex } = scored.replayed;
  const { verificationStatus } = scored;
  return { ...recordOf(scored), manifestHash, deterministic, canonicalInputPayload, seedHex, verificationStatus };
};

/** Creates the operations that score a frozen scan again (spec 2.4, 4.3). */
export const createReplays = ({ operation, database, clock, bundles, isHistoryDurable }: ReplayDeps) => {
  const history = createReplayHistory();

  const score = async (state: FrozenState, asked: string | undefined): Promise<Scored> => {
    const freezeTimestamp = freezeTimeOf(state, asked);
    const scored = await scoreAndProve(bundles, state, freezeTimestamp);
    await failpoint('scanner.replay.scored');
    return { ...scored, state, freezeTimestamp, replayedAt: clock.now() };
  };

  return {
    replay: operation({
      name: 'score.replay',
      cost: COST,
      kind: 'write',
      scope: SCANS_WRITE,
      input: Type.Object(
        {
          scanId: idOf('Scan'),
          manifestHash: Type.Optional(Type.String({ maxLength: 200 })),
          freezeTimestamp: Type.Optional(instant),
        },
        { additionalProperties: false },
      ),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { scanId: exampleId('Scan') },
      async prepare({ tenant }, { scanId, manifestHash, freezeTimestamp }) {
        const state = await database.read(tenant, (query) => readFrozen(query, tenant, scanId, { manifestHash }));
        return score(state, freezeTimestamp);
      },
      async run(who, _input, tx, scored) {
        const replayed = recordOf(scored);
        await lockFreeze(tx, who.tenant, scored.state);
        await insert(tx, who.tenant, replayed);
        const { rootHash, canonicalInputHash, scorePpm, freezeTimestamp } = replayed;
        await record(tx, who, 'score.replay', scored.state.scan, {
          rootHash,
          canonicalInputHash,
          scorePpm,
          freezeTimestamp,
        });
        return outcomeOf(scored);
      },
      committed: ({ tenant }, scored) => history.add(tenant, recordOf(scored)),
    }),

    history: operation({
      name: 'score.history',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ scanId: idOf('Scan') }),
      raises: ['RES_NOT_FOUND'],
      example: { scanId: exampleId('Scan') },
      async run({ tenant }, { scanId }, query): Promise<readonly store.RecordedReplay[]> {
        await expectScan(query, tenant, scanId);
        return isHistoryDurable ? store.listByScans(query, tenant, [scanId], LIST_LIMIT) : history.list(tenant, scanId);
      },
    }),

    explain: operation({
      name: 'score.explain',
      kind: 'read',
      // It computes as long as a replay does, and holds no connection meanwhile.
      isDetached: true,
      cost: COST,
      scope: SCANS_READ,
      input: Type.Object({ digest }),
      raises: ['RES_NOT_FOUND'],
      example: { digest: `sha256:${'0'.repeat(64)}` },
      async run({ tenant }, { digest: imageDigest }) {
        const state = await database.read(tenant, (query) => findFrozenByImage(query, tenant, imageDigest));
        if (!state) throw new Fault('RES_NOT_FOUND', `There is no scan of ${imageDigest}.`, { digest: imageDigest });
        const scored = await replayInTurns({ ...state.input, freezeTimestamp: freezeTimeOf(state, undefined) });
        const { rootHash, canonicalInputHash, manifestDigest } = scored;
        return {
          digest: imageDigest,
          scanId: state.scan.id,
          scorePpm: scored.score,
          factors: scanFactors(scored),
          rootHash,
          canonicalInputHash,
          manifestDigest,
          explainedAt: clock.now(),
        };
      },
    }),
  };
};

export type Replays = ReturnType<typeof createReplays>;

/** Replays of scans as they are stored, for loaders. */
export const listReplays = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
): Promise<store.RecordedReplay[]> => store.listByScans(query, tenant, scanIds, LIST_LIMIT);
