import { buffer } from 'node:stream/consumers';
import { type Signer, signerOf } from '@landfall/attestation/admission/signer';
import * as trustedSigners from '@landfall/attestation/admission/trusted-signers.store';
import { parseTrust, type Trust } from '@landfall/attestation/bundle/trust';
import { NO_KEY_YET } from '@landfall/attestation/bundle/trust-source';
import { systemCaller } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps, Upstream } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { Reading } from '../records/reading.ts';
import { type EvidenceTrust, judge, type Verdict } from './judge.ts';
import * as store from './judgement.store.ts';

const record = eventsOf('Artifact');

/** Artifacts of one turn. */
const BATCH = 20;
const POLL_MS = 2_000;
const TRUST_ROUTE = '/tlog/trust.json';

interface VerdictDeps extends Pick<Deps, 'database' | 'hints' | 'log' | 'ids'>, Pick<Reading, 'readArtifact'> {
  readonly upstream: Upstream;
}

/** Judges signed evidence when it was put, and again when the trust of its tenant changed. */
export const createVerdicts = ({ database, hints, log, ids, upstream, readArtifact }: VerdictDeps) => {
  /** Trust document of the platform; undefined before it has keys. */
  const platformTrust = async (tenant: TenantId): Promise<Trust | undefined> => {
    const caller = systemCaller(tenant, 'artifacts.verdicts', ids.uuid());
    const { status, body } = await upstream(caller, { target: TRUST_ROUTE });
    const text = Buffer.from(body).toString();
    // Absent where no module of the platform signs.
    if (status === 404 || (status === 503 && text.includes(NO_KEY_YET))) return undefined;
    if (status !== 200) throw new Error(`The trust document of the platform was answered with ${status}.`);
    return parseTrust(text);
  };

  const signersOf = (tenant: TenantId): Promise<readonly Signer[]> =>
    database.read(tenant, async (query) => (await trustedSigners.list(query, tenant)).map(signerOf));

  type Due = Awaited<ReturnType<typeof store.listDue>>[number];

  /** Verdict on bytes, which are a stranger's: what fails at them is unverified, and keeps nothing else waiting. */
  const judged = (
    { tenant, artifactId }: Due,
    content: Buffer,
    form: 'bundle' | 'envelope',
    trust: EvidenceTrust,
  ): Verdict => {
    try {
      return judge(content, form, trust);
    } catch (error) {
      log.error({ err: error, tenant, artifactId }, 'evidence that cannot be judged');
      return { verdict: 'unverified', signer: null, note: 'Its signature cannot be read.' };
    }
  };

  const settle = async (due: Due, signers: readonly Signer[], platform: Trust | undefined): Promise<void> => {
    const { tenant, artifactId, signature } = due;
    if (signature === null) return;
    const content = await buffer((await readArtifact(tenant, artifactId)).stream);
    const verdict = judged(due, content, signature, { platform, signers });
    const caller = systemCaller(tenant, 'artifacts.verdicts', ids.uuid());
    await database.write(tenant, async (tx) => {
      const version = await store.settle(tx, due, verdict);
      if (version !== undefined)
        await record(tx, caller, 'artifact.judge', { id: artifactId, version }, { ...verdict });
    });
  };

  /** Judges what is due. Bytes that cannot be read are told by the reading, and judged again once they are whole. */
  const turn = async (): Promise<number> => {
    const due = await database.system.read((query) => store.listDue(query, BATCH));
    for (const [tenant, artifacts] of Map.groupBy(due, (each) => each.tenant)) {
      const [signers, platform] = [await signersOf(tenant), await platformTrust(tenant)];
      for (const artifact of artifacts)
        try {
          await settle(artifact, signers, platform);
        } catch (error) {
          log.error({ err: error, tenant, artifactId: artifact.artifactId }, 'evidence that is not judged');
          await database.write(tenant, (tx) => store.skip(tx, artifact));
        }
    }
    return due.length;
  };

  return {
    turn,
    /** Marks the signed evidence of a tenant, whose trust changed, as to be judged again. */
    judgeAgain: (tenant: TenantId) => database.write(tenant, (tx) => store.markDue(tx, tenant)),
    worker: pollingWorker({ name: 'artifacts.verdicts', pollMs: POLL_MS, hints: hints.of('Artifact'), log, turn }),
  };
};

export type Verdicts = ReturnType<typeof createVerdicts>;
