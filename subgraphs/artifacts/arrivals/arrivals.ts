import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Deps, EvidenceReaders } from '@landfall/kernel/module';
import { BodyTooLarge } from '@landfall/kernel/routes/refusal';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { Placing } from '../records/placing.ts';
import type { Verdicts } from '../verdicts/verdicts.ts';
import * as store from './feed.store.ts';

/** Events of one turn: each may be a document of megabytes. */
const BATCH = 50;
const POLL_MS = 2_000;
/** Transactions after which the position moves although nothing arrived, so that nothing is read twice for long. */
const LONGEST_SPAN = 1_000n;

/** Events after which signatures have another verdict. */
const TRUST_EVENTS: readonly string[] = ['trustedSigner.create', 'trustedSigner.remove'];

interface ArrivalsDeps
  extends Pick<Deps, 'database' | 'hints' | 'log'>,
    Pick<Placing, 'putDocument'>,
    Pick<Verdicts, 'judgeAgain'> {
  readonly readers: EvidenceReaders;
}

/** Follows the platform's events and puts the documents that they announce. */
export const createArrivals = ({ database, hints, log, readers, putDocument, judgeAgain }: ArrivalsDeps) => {
  type Next = Awaited<ReturnType<typeof store.listNext>>['events'][number];

  /** Puts the document of an event. A document that can never be put is logged; any other failure repeats the turn. */
  const arrive = async ({ tenant, type, correlationId, ...event }: Next): Promise<void> => {
    if (TRUST_EVENTS.includes(type)) await judgeAgain(tenant);
    const read = readers.get(type);
    const document = read && (await database.read(tenant, (query) => read(query, tenant, event)));
    if (!document) return;
    try {
      await putDocument(systemCaller(tenant, 'artifacts.arrivals', correlationId), document);
    } catch (error) {
      const isRefused = error instanceof BodyTooLarge || (error instanceof Fault && error.status < 500);
      if (!isRefused) throw error;
      log.error({ err: error, tenant, type, id: event.entityId }, 'evidence that is not put');
    }
  };

  /** Puts what was announced since the last turn, and returns the number of events. */
  const turn = async (): Promise<number> => {
    const { from, events, next } = await database.system.read((query) =>
      store.listNext(query, [...readers.keys(), ...TRUST_EVENTS], BATCH),
    );
    for (const event of events) await arrive(event);
    const isFarBehind = BigInt(next.xid) - BigInt(from.xid) > LONGEST_SPAN;
    if (events.length > 0 || isFarBehind) await database.system.write((tx) => store.moveFeed(tx, from, next));
    return events.length;
  };

  return {
    turn,
    worker: pollingWorker({
      name: 'artifacts.arrivals',
      pollMs: POLL_MS,
      hints: hints.of('Attestation', 'Scan', 'TrustedSigner'),
      log,
      turn,
    }),
  };
};
