import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { createFollower } from '@landfall/kernel/events/follower';
import type { Deps, EvidenceReaders } from '@landfall/kernel/module';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import { BodyTooLarge } from '@landfall/kernel/routes/refusal';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import Type from 'typebox';
import type { Bundles } from '../bundles/bundles.ts';
import type { Placing } from '../records/placing.ts';
import { EVIDENCE_READ } from '../shared/scopes.ts';
import type { Verdicts } from '../verdicts/verdicts.ts';
import * as failures from './arrival-failures.store.ts';

/** Events of one turn: each may be a document of megabytes. */
const BATCH = 50;
const POLL_MS = 2_000;

/** Events after which signatures have another verdict. */
const TRUST_EVENTS: readonly string[] = ['trustedSigner.create', 'trustedSigner.remove'];

interface ArrivalsDeps
  extends Pick<Deps, 'operation' | 'database' | 'hints' | 'ids' | 'log'>,
    Pick<Placing, 'putDocument'>,
    Pick<Verdicts, 'judgeAgain'>,
    Pick<Bundles, 'ensureOf'> {
  readonly readers: EvidenceReaders;
}

/** Reason for people; that of an internal error is in the log only. */
const reasonOf = (error: unknown): string =>
  error instanceof Fault || error instanceof BodyTooLarge
    ? error.message
    : 'It could not be read or stored; the log of the server has the cause.';

/** Follows the platform's events and puts the documents that they announce. */
export const createArrivals = (deps: ArrivalsDeps) => {
  const { operation, database, hints, ids, log, readers, putDocument, judgeAgain, ensureOf } = deps;

  /** Puts the document of an event, and makes the bundle that it completes. */
  const put = async ({ tenant, type, correlationId, ...event }: failures.AnnouncedDocument): Promise<void> => {
    if (TRUST_EVENTS.includes(type)) await judgeAgain(tenant);
    const read = readers.get(type);
    const document = read && (await database.read(tenant, (query) => read(query, tenant, event)));
    if (!document) return;
    const who = systemCaller(tenant, 'artifacts.arrivals', correlationId);
    await putDocument(who, document).catch((error: unknown) => {
      // An administrator deleted it, and it stays deleted.
      if (!(error instanceof Fault) || error.code !== 'RES_CONFLICT') throw error;
    });
    const { completes } = document;
    if (completes) await database.write(tenant, (tx) => ensureOf(tx, who, completes));
  };

  /** Puts the document of an event, or notes why not: it is tried again, and keeps no other waiting. @returns whether it is put */
  const arrive = async (event: failures.AnnouncedDocument): Promise<boolean> => {
    const { tenant, type, entityId } = event;
    try {
      await put(event);
      return true;
    } catch (error) {
      log.error({ err: error, tenant, type, id: entityId }, 'evidence that is not put');
      const failure = { id: ids.uuid(), reason: reasonOf(error) };
      await database.system.write((tx) => failures.note(tx, event, failure));
      return false;
    }
  };

  const follow = createFollower({
    database,
    table: 'evidence.event_feed',
    types: [...readers.keys(), ...TRUST_EVENTS],
    batch: BATCH,
    follow: arrive,
  });

  /** Puts what was announced since the last turn and what is to be tried again, and returns the number of events. */
  const turn = async (): Promise<number> => {
    const arrived = await follow();
    const due = await database.system.read((query) => failures.listDue(query, BATCH));
    for (const event of due) if (await arrive(event)) await database.system.write((tx) => failures.remove(tx, event));
    return arrived + due.length;
  };

  return {
    turn,

    /** Documents of the platform that could not be put yet, the newest first. */
    failures: operation({
      name: 'evidenceArrival.listFailures',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object(pageFields),
      run: ({ tenant }, page, query) => readPage(page, (bounds) => failures.listPage(query, tenant, bounds)),
    }),

    worker: pollingWorker({
      name: 'artifacts.arrivals',
      pollMs: POLL_MS,
      hints: hints.of('Attestation', 'Scan', 'TrustedSigner', 'VexSource'),
      log,
      turn,
    }),
  };
};
