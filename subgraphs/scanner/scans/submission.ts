import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type TenantId, toId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { digest, freeText } from '@landfall/kernel/operation/input';
import { admit, type OperationSpec } from '@landfall/kernel/operation/operation';
import { BodyTooLarge } from '@landfall/kernel/routes/refusal';
import Type from 'typebox';
import { PurlError, parsePurl } from '../packages/purl.ts';
import { SbomError } from '../sbom/sbom-error.ts';
import { SCANS_WRITE } from '../shared/scopes.ts';
import { receiveSbom, removeAbandoned } from './documents.ts';
import * as sboms from './sboms.store.ts';
import { publishCreation } from './scan-events.ts';
import * as store from './scans.store.ts';

const IMAGE_TYPES = ['oci', 'docker'];
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Digest of the image that a bill describes by a package URL, such as `pkg:oci/app@sha256:…`. */
const imageDigestOf = (purl: string | null): string | null => {
  if (purl === null) return null;
  try {
    const { type, version } = parsePurl(purl);
    return IMAGE_TYPES.includes(type) && version !== null && DIGEST.test(version) ? version : null;
  } catch (error) {
    if (error instanceof PurlError) return null;
    throw error;
  }
};

interface Subject {
  readonly imageDigest?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Subject of a scan: what the sender names, otherwise what the bill describes. */
const subjectOf = (sbom: sboms.StoredSbom, { imageDigest, name, version }: Subject) => ({
  imageDigest: imageDigest ?? imageDigestOf(sbom.subjectPurl),
  subjectName: name ?? sbom.subjectName,
  subjectVersion: version ?? (name === undefined ? sbom.subjectVersion : null),
  subjectPurl: name === undefined ? sbom.subjectPurl : null,
});

/** Fault of a document that is no bill of materials, or too large. */
const asFault = (error: unknown): unknown => {
  if (!(error instanceof SbomError)) return error;
  if (error.reason === 'too_large') return new BodyTooLarge(error.message);
  return new Fault('VAL_INVALID_VALUE', error.message, { reason: error.reason, ...error.position }, [], {
    cause: error,
  });
};

/** Queues the scan of an identity again if it failed: the cause may have passed, and the same bill is the same scan. */
const requeueFailed = async (tx: Tx, tenant: TenantId, identity: string): Promise<store.Scan | undefined> => {
  const { id } = await store.getByIdentity(tx, tenant, identity);
  const current = await store.findLocked(tx, tenant, id);
  return current?.status === 'failed' ? store.requeue(tx, tenant, id) : undefined;
};

/** Creates the way in for bills of materials: a stream is received, then a scan of it is requested. */
export const createSubmission = ({ operation, database, ids, clock }: Deps) => {
  let cleaned: Promise<void> | undefined;

  const create = operation({
    name: 'scan.create',
    kind: 'write',
    // CI repeats it: the same bill changes nothing, and so writes no event.
    isBeat: true,
    scope: SCANS_WRITE,
    input: Type.Object({
      sbomDigest: digest,
      imageDigest: Type.Optional(digest),
      name: Type.Optional(freeText(500)),
      version: Type.Optional(freeText(500)),
    }),
    raises: ['RES_NOT_FOUND'],
    example: { sbomDigest: sha256(exampleId('Sbom')) },
    async run(who, { sbomDigest, ...given }, tx) {
      const sbom = await sboms.get(tx, who.tenant, sbomDigest);
      const subject = subjectOf(sbom, given);
      const identity = sha256(canonicalJson({ sbomDigest, ...subject }));
      const scan = await store.insertIfAbsent(tx, who.tenant, {
        id: toId(ids.uuid(), 'Scan'),
        identity,
        status: 'queued',
        sbomDigest,
        sbomFormat: sbom.format,
        requestedBy: who.subject,
        ...subject,
      });
      const requested = scan ?? (await requeueFailed(tx, who.tenant, identity));
      if (!requested) return { scan: await store.getByIdentity(tx, who.tenant, identity), isNew: false };
      await publishCreation(tx, who, requested);
      return { scan: requested, isNew: true };
    },
  });

  /** Receives a bill as a stream, for a caller who may request scans. Throws Fault VAL_INVALID_VALUE, BodyTooLarge. */
  const receive = async (caller: Caller, body: AsyncIterable<Uint8Array>): Promise<sboms.StoredSbom> => {
    const spec: OperationSpec = create.spec;
    const who = admit(caller, spec);
    // Once in a process that receives bills: its predecessor may have been killed over one.
    cleaned ??= removeAbandoned(clock.now());
    await cleaned;
    try {
      return await receiveSbom(database, who, body);
    } catch (error) {
      throw asFault(error);
    }
  };

  return { create, receive };
};
