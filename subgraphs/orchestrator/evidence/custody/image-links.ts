import { coverageOf } from '@landfall/attestation/admission/coverage';
import type { ImageStatement } from '../images/image-statements.ts';
import type { CustodyStatement, Evidence, GatedComponent } from './chain.ts';
import { type Link, missing } from './link.ts';

const UNTRUSTED_REASON = 'signer: its signer is trusted no longer';

/** Statement as it counts at present: one whose signer is no longer trusted counts as missing. */
const withoutUntrusted = (statement: ImageStatement): ImageStatement =>
  statement.isForsaken ? { ...statement, state: 'missing', reason: UNTRUSTED_REASON } : statement;

const statementOf = (statement: ImageStatement): CustodyStatement => ({
  state: statement.state,
  predicateType: statement.predicateType,
  summary: statement.summary,
  component: statement.component,
  environmentId: null,
  deploymentId: null,
  signer: statement.signer,
  signedBy: statement.signedBy,
  signedAt: statement.signedAt,
  digest: statement.payloadDigest,
  attestationId: null,
  logIndex: statement.logIndex,
  verifiedAt: statement.state === 'proven' ? statement.readAt : null,
  reason: statement.reason,
});

/** Reason why the absence of statements proves nothing; undefined when the images were read completely. */
const unreadReason = ({ reading }: Evidence): string | undefined => {
  if (!reading?.readAt)
    return reading?.lastError
      ? `the images could not be read: ${reading.lastError}`
      : 'the images have not been read yet';
  return reading.unread.length > 0 ? 'a part of what is attached to the images could not be read' : undefined;
};

const linkOf = (component: GatedComponent, statements: readonly ImageStatement[], unread: string | undefined): Link => {
  const own = statements.filter((statement) => statement.component === component.name);
  const platforms = component.platforms.map(({ digest }) => digest);
  const { state, reason } = coverageOf({ digest: component.digest, platforms }, own);
  if (state !== 'missing') return { state, reason: reason === null ? null : `${component.name}: ${reason}` };
  return missing(`${component.name}: ${own.length === 0 && unread !== undefined ? unread : (reason ?? 'missing')}`);
};

/** Builds the links of the images' statements about source or build, one for each component. */
export const chainOfImages = (purpose: 'source' | 'build', evidence: Evidence) => {
  const statements = evidence.statements.filter((statement) => statement.purpose === purpose).map(withoutUntrusted);
  const unread = unreadReason(evidence);
  return {
    links: evidence.components.map((component) => linkOf(component, statements, unread)),
    statements: statements.map(statementOf),
  };
};
