import { createPublicKey } from 'node:crypto';
import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import type { Worker } from '@landfall/kernel/core/worker';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { createBundle } from '../bundle/create-bundle.ts';
import type { LoggedEntry, TransparencyLog } from '../log/transparency-log.ts';
import { hashedRekordBody, type KeyDetails } from '../signature/hashed-rekord.ts';
import { IN_TOTO_PAYLOAD_TYPE } from '../signature/statement.ts';
import type { CheckedTimestamps } from '../timestamps/checked-timestamps.ts';
import * as attestations from './attestations.store.ts';
import * as store from './attestor.store.ts';
import { backoffSeconds } from './backoff.ts';
import { failureMessageOf, runStep } from './failure-message.ts';

const BATCH = 4;
/** Lease of a batch in seconds: longer than a slow key device, a timestamp authority and the log take together. */
const LEASE_SECONDS = 240;
/** Poll interval in milliseconds; a hint starts a poll sooner. */
const POLL_MS = 1_000;

interface AttestorDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly keys: SigningKeys;
  readonly tlog: TransparencyLog;
  /** Timestamp authority; undefined if none is configured. */
  readonly stamping: CheckedTimestamps | undefined;
  readonly meter: Meter | undefined;
  /** Called in the transaction that stores the log entry of a statement. */
  readonly onAttested: (tx: Tx, caller: Who, attestation: attestations.Attestation) => Promise<unknown>;
}

type FullAttestation = attestations.WholeAttestation;

interface Signed extends store.Signature {
  readonly keyId: string;
}

const detailsOf = (spki: Uint8Array): KeyDetails => {
  const { asymmetricKeyType } = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  return asymmetricKeyType === 'ed25519' ? 'PKIX_ED25519' : 'PKIX_ECDSA_P256_SHA_256';
};

/** Canonical body of a signed statement's log entry. */
export const entryBodyOf = (
  payload: Uint8Array,
  { signature, spki }: Pick<store.Signature, 'signature' | 'spki'>,
): Buffer =>
  hashedRekordBody({
    paeDigest: sha256Bytes(pae(IN_TOTO_PAYLOAD_TYPE, payload)),
    signature,
    spki,
    keyDetails: detailsOf(spki),
  });

const signedOf = ({ keyId, spki, signature }: FullAttestation): Signed | undefined =>
  keyId === null || spki === null || signature === null ? undefined : { keyId, spki, signature };

const metersOf = (meter: Meter | undefined) => ({
  success: meter?.counter('attestor_rekor_success_total', { description: 'Statements signed and in the log.' }),
  retry: meter?.counter('attestor_rekor_retry_total', {
    description: 'Tries to sign and log a statement that failed.',
  }),
  latency: meter?.histogram('rekor_inclusion_latency', {
    description: 'From an entry to its checkpoint.',
    unit: 's',
  }),
});

/**
 * Creates the worker that signs statements and appends them to the log. Each step is stored before the next one begins,
 * so that a retry after a crash uses the existing signature: one statement has one entry. A failure does not affect the
 * landing or its deployment; the statement has no reference until a later attempt succeeds.
 */
export const createAttestor = (deps: AttestorDeps) => {
  const { database, ids, hints, log, keys, tlog, stamping, onAttested } = deps;
  const meters = metersOf(deps.meter);

  const read = async (caller: Who, id: attestations.AttestationId): Promise<FullAttestation> => {
    const found = await database.read(caller.tenant, (query) => attestations.find(query, caller.tenant, id));
    if (!found) throw new TypeError(`attestation ${id} has vanished`);
    return found;
  };

  /** Deletes exactly the signature `consumed`: another worker may have signed again meanwhile. */
  const drop = (caller: Who, { id }: FullAttestation, consumed: Signed) =>
    database.write(caller.tenant, (tx) => store.dropSignature(tx, caller.tenant, id, consumed.signature));

  const findKey = async ({ keyId }: Signed) => (await keys.list('attestation')).find((key) => key.keyId === keyId);

  /**
   * Checks whether verifiers accept the key for an entry at that index: an entry after the key ended may be a thief's.
   */
  const counts = async (signed: Signed, index: number): Promise<boolean> => {
    const key = await findKey(signed);
    if (!key?.validUntil) return key !== undefined;
    const [{ origin }, logs] = await Promise.all([tlog.identity(), tlog.history([key.validUntil])]);
    const size = logs.find((each) => each.origin === origin)?.sizes.get(key.validUntil.getTime());
    return size === undefined || index < size;
  };

  /** Finds the usable signature: also one of a key that has ended, if the log had it in time. */
  const findSigned = async (caller: Who, row: FullAttestation): Promise<Signed | undefined> => {
    const known = signedOf(row);
    if (!known || (await findKey(known))?.validUntil === null) return known;
    const index = await tlog.indexOf(entryBodyOf(row.payload, known));
    if (index !== undefined && (await counts(known, index))) return known;
    await drop(caller, row, known);
    return undefined;
  };

  const sign = async (caller: Who, row: FullAttestation): Promise<Signed> => {
    const known = await findSigned(caller, row);
    if (known) return known;
    const signer = await keys.signer('attestation');
    const signature = await signer.sign(pae(IN_TOTO_PAYLOAD_TYPE, row.payload));
    await failpoint('attest.signed');
    const { keyId, spki } = signer;
    await database.write(caller.tenant, (tx) =>
      store.saveSignature(tx, caller.tenant, row.id, { keyId, spki, signature }),
    );
    await failpoint('attest.signature.saved');
    // Another process may have saved its signature first; that one counts.
    const saved = signedOf(await read(caller, row.id));
    if (!saved) throw new TypeError(`attestation ${row.id} has lost its signature`);
    return saved;
  };

  const stamp = async (caller: Who, row: FullAttestation, signed: Signed): Promise<Buffer | undefined> => {
    if (!stamping) return row.timestampToken ?? undefined;
    const { timestampToken, signature } = await read(caller, row.id);
    // A timestamp belongs to one signature, so it is stored only with that one.
    if (timestampToken && signature?.equals(signed.signature)) return timestampToken;
    const created = await stamping.stamp(signed.signature);
    await failpoint('attest.stamped');
    const key = await findKey(signed);
    if (!key || created.at < key.validFrom || (key.validUntil && created.at > key.validUntil)) {
      await drop(caller, row, signed);
      throw new Error(`The timestamp ${created.at.toISOString()} is outside the period of the key ${signed.keyId}.`);
    }
    await database.write(caller.tenant, (tx) =>
      store.saveTimestamp(tx, caller.tenant, row.id, signed.signature, created),
    );
    await failpoint('attest.stamp.saved');
    return (await read(caller, row.id)).timestampToken ?? undefined;
  };

  const append = async (caller: Who, row: FullAttestation, signed: Signed): Promise<LoggedEntry> => {
    const startedMs = performance.now();
    const entry = await tlog.append(entryBodyOf(row.payload, signed));
    meters.latency?.((performance.now() - startedMs) / 1000);
    if (!(await counts(signed, entry.index))) {
      await drop(caller, row, signed);
      throw new Error(`The key ${signed.keyId} ended before the log had the entry ${entry.index}.`);
    }
    await failpoint('attest.appended');
    return entry;
  };

  const publish = async (
    tx: Tx,
    caller: Who,
    row: FullAttestation,
    version: number,
    logIndex: number,
  ): Promise<void> => {
    const { id, kind, subjectId, payloadDigest } = row;
    const data = { kind, subject: subjectId, payloadDigest, logIndex };
    await onAttested(tx, caller, row);
    await event(tx, caller, 'attestation.log', { entity: 'Attestation', id, version, data });
  };

  const save = async (
    caller: Who,
    row: FullAttestation,
    { keyId, signature }: Signed,
    entry: LoggedEntry,
    token?: Buffer,
  ) => {
    const identity = await tlog.identity();
    const bundle = createBundle({
      payload: row.payload,
      payloadType: IN_TOTO_PAYLOAD_TYPE,
      signature,
      keyId,
      entry,
      log: identity,
      timestamps: token ? [token] : [],
    });
    await database.write(caller.tenant, async (tx) => {
      const saved = await store.saveLogged(tx, caller.tenant, row.id, {
        origin: identity.origin,
        signature,
        entry,
        bundle,
      });
      if (!saved) return;
      await publish(tx, caller, row, saved.version, entry.index);
      await failpoint('attest.saving');
    });
    await failpoint('attest.saved');
    meters.success?.({ kind: row.kind });
  };

  const attest = async ({ tenant, id }: store.DueAttestation): Promise<void> => {
    const caller = systemCaller(tenant, 'orchestrator.attestor', ids.uuid());
    const row = await read(caller, id);
    if (attestations.isAttested(row)) return;
    try {
      const signed = await runStep('sign', sign(caller, row));
      const token = await runStep('stamp', stamp(caller, row, signed));
      await save(caller, row, signed, await runStep('log', append(caller, row, signed)), token);
    } catch (error) {
      log.error({ err: error, tenant, attestation: id }, 'attestor');
      meters.retry?.({ kind: row.kind });
      const failure = { error: failureMessageOf(error), waitSeconds: backoffSeconds(row.attempts + 1) };
      await database.write(tenant, (tx) => store.fail(tx, tenant, id, failure));
    }
  };

  let hasKeys = false;

  /** Creates the first keys here, so that readers of the trust document create none and use no key device. */
  const begin = async (): Promise<void> => {
    if (hasKeys) return;
    try {
      for (const purpose of ['attestation', 'log'] as const)
        if ((await keys.list(purpose)).length === 0) await keys.signer(purpose);
      hasKeys = true;
    } catch (error) {
      log.error({ err: error }, 'attestor');
    }
  };

  /** Processes the statements that are due, and returns their number. */
  const turn = async (): Promise<number> => {
    await begin();
    const due = await database.system.write((tx) => store.leaseDue(tx, BATCH, LEASE_SECONDS));
    if (due.length > 0) await failpoint('attest.leased');
    const finished = await Promise.allSettled(due.map(attest));
    // The lease expires and the statement is due again; the next attempt continues from the stored steps.
    for (const each of finished) if (each.status === 'rejected') log.error({ err: each.reason }, 'attestor');
    return due.length;
  };

  const worker: Worker = pollingWorker({ name: 'orchestrator.attestor', pollMs: POLL_MS, hints, log, turn });
  return { turn, worker };
};
