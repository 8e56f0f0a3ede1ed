import type { VexSourceTrust, VexTrust } from '../../generated/operations.ts';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

const SOURCE: Looks<VexSourceTrust> = { UNTRUSTED: 'missing', TRUSTED: 'signed-muted', SIGNED: 'verified' };

export const SourceTrustLabel = ({ trust }: { readonly trust: VexSourceTrust }) => (
  <StateLabel look={SOURCE[trust]}>{t(`vexSource.trust.${trust}`)}</StateLabel>
);

const DOCUMENT: Looks<VexTrust> = { UNTRUSTED: 'missing', TRUSTED: 'signed-muted', VERIFIED: 'verified' };

export const DocumentTrustLabel = ({ trust }: { readonly trust: VexTrust }) => (
  <StateLabel look={DOCUMENT[trust]}>{t(`vexTrust.${trust}`)}</StateLabel>
);
