import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as store from './cosignatures.store.ts';
import type { LogReader } from './log-reader.ts';
import { askWitness, type Witness, type WitnessAnswer } from './witness-client.ts';

interface WitnessesDeps extends Pick<Deps, 'database' | 'http' | 'ids' | 'clock' | 'log'> {
  readonly origin: string;
  readonly reading: LogReader;
  readonly witnesses: readonly Witness[];
}

const POLL_MS = 1_000;
const MAX_PAUSE_MS = 300_000;

/** Limit of requests in a row to a witness that answers each with another size of its last tree. */
const MAX_ATTEMPTS = 3;

/** Creates the worker that requests witnesses' cosignatures of the newest checkpoint. The log does not wait for it. */
export const createWitnesses = (deps: WitnessesDeps) => {
  const { database, http, ids, clock, log, origin, reading, witnesses } = deps;
  const backoffs = new Map<string, { readonly until: number; readonly failures: number }>();

  const ask = async (witness: Witness, from: number): Promise<WitnessAnswer & { readonly size?: number }> => {
    let size = from;
    for (let remaining = MAX_ATTEMPTS; remaining > 0; remaining--) {
      const proof = await reading.consistency(size);
      if (!proof) return { kind: 'refused', reason: `it has seen a tree of ${size} entries, which this log has not` };
      const answer = await askWitness(http, witness, proof, ids.uuid());
      if (answer.kind === 'cosigned') return { ...answer, size: proof.treeSize };
      if (answer.kind === 'refused' || answer.size === size) return { kind: 'refused', reason: reasonOf(answer) };
      size = answer.size;
    }
    return { kind: 'refused', reason: 'it says each time that it has seen another tree' };
  };

  const rest = (witness: Witness, reason: string): void => {
    const failures = (backoffs.get(witness.name)?.failures ?? 0) + 1;
    const pauseMs = Math.min(MAX_PAUSE_MS, POLL_MS * 2 ** failures);
    backoffs.set(witness.name, { until: clock.now().getTime() + pauseMs, failures });
    log.warn({ witness: witness.name, reason, failures }, 'a witness did not cosign the log');
  };

  /** Requests a cosignature of one witness, and returns whether there is a new one. */
  const visit = async (witness: Witness, newest: number): Promise<boolean> => {
    if (clock.now().getTime() < (backoffs.get(witness.name)?.until ?? 0)) return false;
    const last = await database.system.read((query) => store.findLast(query, origin, witness.name));
    if (last && last.size >= newest) return false;
    const answer = await ask(witness, last?.size ?? 0);
    if (answer.kind !== 'cosigned' || answer.size === undefined) {
      rest(witness, reasonOf(answer));
      return false;
    }
    const { line, cosignedAt } = answer.cosignature;
    const cosignature = { size: answer.size, witness: witness.name, line, cosignedAt };
    await database.system.write((tx) => store.insert(tx, origin, cosignature));
    backoffs.delete(witness.name);
    return true;
  };

  /** Requests the missing cosignatures of the newest checkpoint, and returns the number of new ones. */
  const turn = async (): Promise<number> => {
    const newest = await reading.newest();
    if (!newest) return 0;
    const finished = await Promise.all(witnesses.map((witness) => visit(witness, newest.size)));
    return finished.filter((isCosigned) => isCosigned).length;
  };

  const workers: readonly Worker[] =
    witnesses.length === 0 ? [] : [pollingWorker({ name: 'transparency log witnesses', pollMs: POLL_MS, log, turn })];
  return { turn, workers };
};

const reasonOf = (answer: WitnessAnswer): string =>
  answer.kind === 'refused' ? answer.reason : 'it has seen this size with another root';
