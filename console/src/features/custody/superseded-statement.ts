import type {
  AttestationKind,
  CustodyStatementFragment,
  CustodyStepName,
  SupersededStatementQuery,
} from '../../generated/operations.ts';
import { t } from './labels.ts';

type Found = NonNullable<SupersededStatementQuery['attestation']>;

const STEP: Readonly<Record<AttestationKind, CustodyStepName>> = {
  DEPLOYMENT: 'DEPLOY',
  VERIFICATION_SUMMARY: 'APPROVE',
  APPROVAL: 'APPROVE',
  EVIDENCE: 'SCAN',
  OBSERVATION: 'RUN',
  SCAN: 'SCAN',
};

export const custodyStep = ({ kind }: Pick<Found, 'kind'>): CustodyStepName => STEP[kind];

/** Reference to a statement of the platform; statements of images are not stored once superseded. */
export const isReference = (name: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name);

/** Converts a superseded statement to the type of current ones. */
export const asCustodyStatement = (found: Found): CustodyStatementFragment => ({
  __typename: 'CustodyStatement',
  state: found.verifiedAt === null ? 'SIGNED' : 'PROVEN',
  predicateType: found.predicateType,
  summary: t('supersededStatement.summary'),
  component: null,
  environment: found.deployment?.environment ?? null,
  deployment: found.deployment,
  signer: null,
  signedBy: found.keyId,
  signedAt: found.signedAt,
  digest: found.payloadDigest,
  logIndex: found.log.index,
  verifiedAt: found.verifiedAt,
  reason: null,
  attestation: found,
});
