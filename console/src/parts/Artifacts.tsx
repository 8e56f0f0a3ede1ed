import type { ReactNode } from 'react';
import type {
  ArtifactRowFragment,
  EvidenceAboutFragment,
  EvidenceVerdict,
  NamedDeploymentFragment,
} from '../generated/operations.ts';
import { aboutText, shortId } from '../lib/artifact-about.ts';
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

type SubjectLinkProps = {
  readonly about: Pick<EvidenceAboutFragment, 'kind' | 'id'>;
  readonly children: ReactNode;
};

type ArtifactLinkProps = { readonly artifact: Pick<ArtifactRowFragment, 'id' | 'bomRef' | 'about'> };

export const ArtifactLink = ({ artifact }: ArtifactLinkProps) => (
  <Link look="name" data-open="" to="/evidence/$id" params={{ id: artifact.id }}>
    <bdi>{aboutLabel(artifact)}</bdi>
  </Link>
);

/** Subject of an artifact as people read it: `shop 1.3.0 to production`, `oci/shop/api@0011aabb…ffee`. */
export const aboutLabel = ({ about, bomRef }: Pick<ArtifactRowFragment, 'about' | 'bomRef'>): string =>
  about === null ? aboutText(bomRef) : subjectLabel(about);

type SubjectName = Pick<EvidenceAboutFragment, 'kind' | 'id'> & {
  readonly release?: EvidenceAboutFragment['release'] | undefined;
  readonly deployment?: EvidenceAboutFragment['deployment'] | undefined;
};

/** Name of a release or of a deployment; the ends of its id where its name is not known. */
export function subjectLabel({ kind, id, release, deployment }: SubjectName): string {
  if (release) return `${release.name} ${release.semver}`;
  if (deployment) return deploymentLabel(deployment);
  return t(`artifact.about.${kind}`, { id: shortId(id) });
}

const deploymentLabel = ({ release, environment }: NamedDeploymentFragment): string =>
  t('artifact.about.to', { what: `${release.name} ${release.semver}`, where: environment.name });

/** Link to the release or the deployment that evidence is about. */
export const SubjectLink = ({ about: { kind, id }, children }: SubjectLinkProps) => (
  <Link look="name" to={kind === 'RELEASE' ? '/releases/$id' : '/deployments/$id'} params={{ id }}>
    {children}
  </Link>
);
