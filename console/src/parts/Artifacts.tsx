import type { ArtifactRowFragment, EvidenceVerdict } from '../generated/operations.ts';
import { aboutText, entityOf, shortId } from '../lib/artifact-about.ts';
import { Link } from '../ui/Link.tsx';
import { type Looks, StateLabel } from '../ui/StateLabel.tsx';
import { t } from './artifact-labels.ts';

const VERDICTS: Looks<EvidenceVerdict> = { VERIFIED: 'verified', UNVERIFIED: 'unverified', INVALID: 'failed' };

type ArtifactStateProps = {
  readonly of: Pick<ArtifactRowFragment, 'verdict' | 'signer' | 'corruptAt'>;
};

/** Verdict on an artifact's signature; damage takes its place, since no verdict holds for other bytes. */
export function ArtifactState({ of: { verdict, signer, corruptAt } }: ArtifactStateProps) {
  if (corruptAt !== null) return <StateLabel look="mismatch">{t('artifact.corrupt')}</StateLabel>;
  if (verdict === null) return <StateLabel look="signed-muted">{t('artifact.unsigned')}</StateLabel>;
  return (
    <StateLabel look={VERDICTS[verdict]} wrap>
      {t(`artifact.verdict.${verdict}`)}
      {signer !== null && <span className="quiet"> {t('artifact.signer.by', { name: signer })}</span>}
    </StateLabel>
  );
}

type ArtifactLinkProps = { readonly artifact: Pick<ArtifactRowFragment, 'id' | 'bomRef'> };

export const ArtifactLink = ({ artifact: { id, bomRef } }: ArtifactLinkProps) => (
  <Link look="name" data-open="" to="/evidence/$id" params={{ id }}>
    {aboutLabel(bomRef)}
  </Link>
);

/** Subject of an artifact as people read it: `Deployment 01a21e89…e2b5`, `oci/shop/api@0011aabb…ffee`. */
export function aboutLabel(bomRef: string): string {
  const entity = entityOf(bomRef);
  return entity === undefined ? aboutText(bomRef) : t(`artifact.about.${entity.kind}`, { id: shortId(entity.id) });
}
