import { MAX_BUNDLE_BYTES } from '@landfall/attestation/bundle/parse-bundle';
import type { TrustSource } from '@landfall/attestation/bundle/trust-source';
import type { TransparencyLog } from '@landfall/attestation/log/transparency-log';
import * as attestations from '@landfall/attestation/statements/attestations.store';
import { createExamination, type Examination } from '@landfall/attestation/statements/examination';
import * as store from '@landfall/attestation/statements/verifications.store';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { digest, freeText, patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import * as deployments from '../../running/deployments/deployment.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { operates } from '../../shared/scopes.ts';
import { readRecordedFacts } from './recorded-facts.ts';

const expected = Type.Object({
  subjectDigest: Type.Optional(digest),
  predicateType: Type.Optional(freeText(512)),
  deploymentId: Type.Optional(idOf('Deployment')),
});

const request = Type.Object({
  attestationRef: Type.Optional(idOf('Attestation')),
  bundle: Type.Optional(Type.String({ minLength: 2, maxLength: MAX_BUNDLE_BYTES })),
  logIndex: Type.Optional(patterned('^(0|[1-9][0-9]{0,14})$', 'must be a whole number of at most 15 digits')),
  bodyHash: Type.Optional(digest),
  expected: Type.Optional(expected),
});

type VerifyRequest = Static<typeof request>;

const FORMS = 'exactly one of attestationRef, bundle, and logIndex with bodyHash';

const misplaced = (field: string): FieldFault => ({ field, message: `send ${FORMS}`, code: 'VAL_INVALID_VALUE' });

/** Requires one form of request; throws VAL_REQUIRED_FIELD for none or half of one, VAL_INVALID_VALUE for several. */
const expectOneForm = ({ attestationRef, bundle, logIndex, bodyHash }: VerifyRequest): void => {
  const bundleText = [
    ...(attestationRef === undefined ? [] : ['attestationRef']),
    ...(bundle === undefined ? [] : ['bundle']),
    ...(logIndex === undefined && bodyHash === undefined ? [] : ['logIndex']),
  ];
  const [first, ...rest] = bundleText.map(misplaced);
  if (!first)
    throw invalid([{ field: 'attestationRef', message: `is required: send ${FORMS}`, code: 'VAL_REQUIRED_FIELD' }]);
  if (rest.length > 0) throw invalid([first, ...rest]);
  const half = logIndex === undefined ? 'logIndex' : 'bodyHash';
  if ((logIndex === undefined) !== (bodyHash === undefined))
    throw invalid([{ field: half, message: 'is required with the other', code: 'VAL_REQUIRED_FIELD' }]);
};

/** Result of a verification, with the tenant's own attestation if it is about one. */
export interface VerificationAnswer extends Examination {
  readonly verifiedAt: Date;
  readonly attestation: attestations.Attestation | undefined;
}

interface VerificationsDeps extends Pick<Deps, 'operation' | 'database' | 'ids'> {
  readonly log: TransparencyLog;
  readonly trust: TrustSource;
}

/** State of the tenant's own attestation after its verification: proven, refuted, or unchanged if neither is known. */
const verdictOf = async (
  tx: Tx,
  tenant: TenantId,
  own: attestations.AttestationId,
  { form, found, refutation }: Examination,
): Promise<attestations.Attestation | undefined> => {
  if (refutation !== undefined) return attestations.markRefuted(tx, tenant, own, refutation);
  const statement = await attestations.find(tx, tenant, own);
  // A complete copy from another source does not repair the stored one.
  const isMended = form !== 'bundle' || statement?.refutedReason === null;
  return found.verified && isMended ? attestations.markVerified(tx, tenant, own) : statement;
};

/** Creates the operation of `POST /api/v1/rekor/verify` and its GraphQL counterparts (proofs 6.6). */
export const createVerifications = ({ operation, database, ids, log, trust }: VerificationsDeps) => {
  const examination = createExamination({ database, log, trust, readFacts: readRecordedFacts });

  const examine = ({ tenant }: Who, request: VerifyRequest): Promise<Examination> => {
    const { attestationRef, bundle, logIndex, bodyHash, expected: expectation = {} } = request;
    expectOneForm(request);
    if (attestationRef !== undefined) return examination.ofReference(tenant, attestationRef, expectation);
    if (bundle !== undefined) return examination.ofBundle(tenant, bundle, expectation);
    return examination.ofEntry(tenant, { logIndex: Number(logIndex), bodyHash: bodyHash ?? '' }, expectation);
  };

  /** Records a verification, the attestation's new state and the event in one transaction. */
  const record = async (caller: Who, examined: Examination, tx: Tx): Promise<VerificationAnswer> => {
    const { form, found, own, refutation } = examined;
    const recorded = await store.insert(tx, caller.tenant, {
      id: toId(ids.uuid(), 'Verification'),
      form,
      attestationId: own ?? null,
      found,
      verifiedBy: caller.subject,
    });
    const attestation = own && (await verdictOf(tx, caller.tenant, own, examined));
    const entity = attestation ? 'Attestation' : 'AttestationVerification';
    await publishEvent(tx, caller, 'attestation.verify', entity, attestation ?? { id: recorded.id, version: 1 }, {
      verificationId: recorded.id,
      form,
      verified: found.verified,
      checks: found.checks,
      ...(found.errorMessage !== undefined && { errorMessage: found.errorMessage }),
      ...(attestation && { releaseId: attestation.releaseId, deploymentId: attestation.deploymentId }),
    });
    if (attestation && refutation !== undefined) {
      const { releaseId, deploymentId } = attestation;
      const data = { verificationId: recorded.id, reason: refutation, releaseId, deploymentId };
      await publishEvent(tx, caller, 'attestation.refute', 'Attestation', attestation, data);
    }
    return { ...examined, verifiedAt: recorded.verifiedAt, attestation };
  };

  return {
    verify: operation({
      name: 'attestation.verify',
      cost: 500,
      isRemote: true,
      kind: 'write',
      scope: operates,
      input: request,
      raises: ['RES_NOT_FOUND'],
      example: { attestationRef: exampleId('Attestation') },
      prepare: examine,
      run: (caller, _input, tx, examined) => record(caller, examined, tx),
    }),

    prove: operation({
      name: 'attestation.proveDeployment',
      cost: 500,
      isRemote: true,
      kind: 'write',
      scope: operates,
      input: Type.Object({ deploymentId: idOf('Deployment') }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { deploymentId: exampleId('Deployment') },
      async prepare({ tenant }, { deploymentId }) {
        const found = await database.read(tenant, async (query) => ({
          deployment: await deployments.find(query, tenant, deploymentId),
          attestation: await attestations.findBySubject(query, tenant, 'deployment', deploymentId),
        }));
        if (!found.deployment) throw deployments.notFound(deploymentId);
        if (!found.attestation || !attestations.isAttested(found.attestation))
          throw new Fault('RES_CONFLICT', 'There is no signed statement of this deployment in the log yet.', {
            deploymentId,
            attesting: found.attestation ? 'waiting' : 'none',
          });
        return examination.ofReference(tenant, found.attestation.id, { deploymentId });
      },
      run: (caller, _input, tx, examined) => record(caller, examined, tx),
    }),
  };
};
