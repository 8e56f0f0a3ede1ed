import type { CustodyStatementFragment } from '../../generated/operations.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { t } from './labels.ts';

const FINGERPRINT = /^[0-9a-f]{64}$/;

/** Name of the signer: the tenant's name for it, the platform, an identity, or a short fingerprint. */
export function signerName({
  signer,
  signedBy,
  attestation,
}: Pick<CustodyStatementFragment, 'signer' | 'signedBy' | 'attestation'>): string | undefined {
  if (signedBy === null) return undefined;
  if (signer !== null) return signer;
  if (attestation !== null) return t('chain.platform');
  return FINGERPRINT.test(signedBy) ? `${signedBy.slice(0, 8)}…${signedBy.slice(-4)}` : signedBy;
}

/** Subject of a statement: its component, its environment, or the release. */
export const statementSubject = ({
  component,
  environment,
}: Pick<CustodyStatementFragment, 'component' | 'environment'>): string =>
  component ?? environment?.name ?? t('statements.release');

/** Text with a capital first letter, except where it begins with a name: `api: no such statement`. */
export const capitalized = (text: string): string =>
  /^[^\s:]+:\s/.test(text) ? text : text.charAt(0).toLocaleUpperCase(currentLocale()) + text.slice(1);
