import type { Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { IN_TOTO_PAYLOAD_TYPE } from '../signature/statement.ts';
import * as attestations from './attestations.store.ts';
import { backoffSeconds } from './backoff.ts';
import * as store from './external-entries.store.ts';
import { checkAnswer, type ExternalKey, parseExternalKey } from './external-log-answer.ts';
import { failureMessageOf, RejectedAnswer, runStep } from './failure-message.ts';

const BATCH = 8;
/** Lease of a submission, in seconds: longer than the client's deadline. */
const LEASE_SECONDS = 120;
const POLL_MS = 2_000;
const MAX_ANSWER_BYTES = 262_144;
const CREATED = 201;
const OK = 200;

/** Settings of an external Rekor v2; the platform never waits for it. */
export interface RekorSettings {
  readonly rekorUrl?: string | undefined;
  /** Bearer token, if the log requires one. */
  readonly rekorToken?: string | undefined;
  /** Note verifier key of its checkpoints. */
  readonly rekorKey?: string | undefined;
}

interface Destination {
  /** URL without a trailing slash. */
  readonly url: string;
  readonly key: ExternalKey;
  readonly token: string | undefined;
}

/** Destination of the settings, undefined without a URL. Throws an Error for a URL without a valid verifier key. */
export const destinationOf = ({ rekorUrl, rekorToken, rekorKey }: RekorSettings): Destination | undefined => {
  if (rekorUrl === undefined) return undefined;
  const key = rekorKey === undefined ? undefined : parseExternalKey(rekorKey);
  if (!key) throw new Error('Attestation:RekorKey is not the Ed25519 verifier key of the log at Attestation:RekorUrl.');
  return { url: rekorUrl.replace(/\/+$/, ''), key, token: rekorToken };
};

interface ExternalDeps extends Pick<Deps, 'database' | 'ids' | 'http' | 'log'> {
  readonly meter: Meter | undefined;
}

type Logged = attestations.WholeAttestation & {
  readonly logBody: Buffer;
  readonly signature: Buffer;
  readonly spki: Buffer;
};

const isLogged = (row: attestations.WholeAttestation | undefined): row is Logged =>
  row !== undefined && row.logBody !== null && row.signature !== null && row.spki !== null;

/** Request for Rekor v2 (rekor-tiles, `CreateEntryRequest`): contains the digest, never the statement. */
const requestOf = ({ payload, signature, spki }: Logged): string =>
  JSON.stringify({
    hashedRekordRequestV002: {
      digest: sha256Bytes(pae(IN_TOTO_PAYLOAD_TYPE, payload)).toString('base64'),
      signature: {
        content: signature.toString('base64'),
        verifier: { publicKey: { rawBytes: spki.toString('base64') }, keyDetails: 'PKIX_ECDSA_P256_SHA_256' },
      },
    },
  });

/** Creates the worker that submits logged statements to an external log, each until the submission succeeds. */
export const createExternalLog = (deps: ExternalDeps, to: Destination) => {
  const { database, ids, http, log } = deps;
  const retry = deps.meter?.counter('attestor_rekor_retry_total', {
    description: 'Tries to sign and log a statement that failed.',
  });

  const submit = async (row: Logged): Promise<{ readonly index: number; readonly entry: string }> => {
    const answer = await http.send({
      url: `${to.url}/api/v2/log/entries`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(to.token !== undefined && { authorization: `Bearer ${to.token}` }),
      },
      body: requestOf(row),
      vouched: new Set([new URL(to.url).origin]),
      correlationId: ids.uuid(),
      maxBytes: MAX_ANSWER_BYTES,
    });
    if (answer.kind !== 'response') throw new Error(`${answer.kind}: ${answer.message}`);
    if (answer.status !== CREATED && answer.status !== OK) throw new RejectedAnswer(`it answered ${answer.status}`);
    const entry = answer.body.toString();
    const checked = checkAnswer(entry, row.logBody, to.key);
    if ('refusal' in checked) throw new RejectedAnswer(checked.refusal);
    return { index: checked.index, entry };
  };

  const submitOne = async (tenant: TenantId, id: attestations.AttestationId): Promise<void> => {
    const row = await database.read(tenant, (query) => attestations.find(query, tenant, id));
    if (!isLogged(row)) throw new TypeError(`attestation ${id} is not in our own log`);
    try {
      const logged = await runStep('submit', submit(row));
      await failpoint('attest.external.answered');
      await database.write(tenant, (tx) => store.save(tx, tenant, id, { ...logged, url: to.url }));
    } catch (error) {
      log.warn({ err: error, tenant, attestation: id }, 'external log');
      retry?.({ log: 'external' });
      const [entry] = await database.read(tenant, (query) => store.listByAttestations(query, tenant, [id]));
      const failure = { error: failureMessageOf(error), waitSeconds: backoffSeconds((entry?.attempts ?? 0) + 1) };
      await database.write(tenant, (tx) => store.fail(tx, tenant, id, failure));
    }
  };

  /** Submits the statements that are due, and returns their number. */
  const turn = async (): Promise<number> => {
    const due = await database.system.write((tx) => store.leaseDue(tx, BATCH, LEASE_SECONDS));
    const finished = await Promise.allSettled(due.map(({ tenant, attestationId }) => submitOne(tenant, attestationId)));
    for (const each of finished) if (each.status === 'rejected') log.error({ err: each.reason }, 'external log');
    return due.length;
  };

  const worker: Worker = pollingWorker({ name: 'orchestrator.external-log', pollMs: POLL_MS, log, turn });
  return {
    turn,
    worker,
    /** Queues a logged statement for submission, in the transaction that records its log entry. */
    enqueue: (tx: Tx, caller: Who, { id }: Pick<attestations.Attestation, 'id'>): Promise<number> =>
      store.insert(tx, caller.tenant, id, to.url),
  };
};
