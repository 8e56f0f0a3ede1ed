import { getRouteApi } from '@tanstack/react-router';
import { ReleaseDocument, type ReleaseQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { CustodySummary } from '../../parts/CustodySummary.tsx';
import { ImageScans } from '../../parts/ImageScans.tsx';
import { NotificationsLink } from '../../parts/NotificationsLink.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Banner } from '../../ui/Banner.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { ReleaseLabel } from '../../ui/EntityStates.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { CompareChoice } from './CompareChoice.tsx';
import { Components } from './Components.tsx';
import { ClearHold, HoldActions } from './HoldActions.tsx';
import { t } from './labels.ts';
import { PromotionPath } from './PromotionPath.tsx';
import { ReleaseActions } from './ReleaseActions.tsx';
import { ReleaseHistory } from './ReleaseHistory.tsx';
import styles from './Releases.module.css';

const route = getRouteApi('/releases/$id');

type Release = NonNullable<ReleaseQuery['release']>;

/** Page of a release: its components, its promotion path, its history, and its next legal step. */
export function ReleasePage() {
  const { id } = route.useParams();
  const answer = useLiveQuery(ReleaseDocument, { id }, ['Promotion', 'Deployment', 'Environment']);
  return (
    <EntityPage of={answer} entity={(data) => data.release} fault={t('release.fault')} gone={t('release.notFound')}>
      {(release) => <Page release={release} />}
    </EntityPage>
  );
}

function Page({ release }: { readonly release: Release }) {
  const { id, name, semver, product, status, hold, notes, landscape, kit } = release;
  const isRemoved = product.removedAt !== null;
  const launchable = landscape.some(({ promotion }) => promotion?.state === 'APPROVED');
  return (
    <>
      <PageHead
        crumbs={[
          { path: '/releases', label: t('releases.title') },
          ...(isRemoved ? [] : [{ path: `/products/${product.id}`, label: name }]),
        ]}
        title={`${name} ${semver}`}
        state={
          <>
            <ReleaseLabel status={status} />
            {hold !== null && <Badge tone="attention">{t('release.onHold')}</Badge>}
            {isRemoved && <Badge>{t('release.productRemoved')}</Badge>}
            {kit !== null && (
              <Link to="/custody/$releaseId" params={{ releaseId: id }}>
                {t('release.kit', { channel: kit.channel, sequence: kit.sequence })}
              </Link>
            )}
          </>
        }
        verbs={
          <>
            <HoldActions release={release} />
            {!isRemoved && <ReleaseActions release={release} launchable={launchable} />}
            <NotificationsLink about={release.id} />
          </>
        }
      >
        {lead(release)}
      </PageHead>
      {hold !== null && (
        <Banner
          tone="attention"
          title={t('release.hold', { who: hold.actor.displayName })}
          verb={<ClearHold release={release} />}
        >
          <span>{hold.reason}</span>
          <Time at={hold.since} />
        </Banner>
      )}
      <Facts release={release} />
      <PromotionPath release={release} />
      <CompareChoice release={release} />
      <CustodySummary releaseId={release.id} />
      <div className={styles.two}>
        <div>
          <Components release={release} />
          <ImageScans components={release.components} />
          {notes !== null && <p className={styles.notes}>{notes}</p>}
        </div>
        <ReleaseHistory release={release} />
      </div>
    </>
  );
}

/** Lead sentence: state of the release on its promotion path. */
function lead({ name, product, status, components, landscape }: Release): string {
  if (product.removedAt !== null) return t('release.lead.removed', { name });
  if (status === 'DRAFT')
    return t(components.length === 0 ? 'release.lead.empty' : 'release.lead.draft', { n: components.length });
  if (status === 'DEPRECATED') return t('release.lead.deprecated');
  const names = (entries: typeof landscape) => listText(entries.map(({ environment }) => environment.name));
  const current = landscape.filter(({ isCurrent }) => isCurrent);
  const unverified = current.filter(({ deployment }) => deployment?.landingVerification === 'UNVERIFIED');
  const landing = landscape.filter(({ promotion }) => promotion?.state === 'DEPLOYING');
  const waiting = landscape.filter(({ promotion }) => promotion?.state === 'PENDING');
  const approved = landscape.filter(({ promotion }) => promotion?.state === 'APPROVED');
  const sentences = [
    deploymentSummary(landscape, names),
    unverified.length > 0 ? t('release.lead.unverified', { where: names(unverified) }) : '',
    landing.length > 0 ? t('release.lead.landing', { where: names(landing) }) : '',
    waiting.length > 0 ? t('release.lead.waiting', { where: names(waiting) }) : '',
    approved.length > 0 ? t('release.lead.approved', { where: names(approved) }) : '',
  ].filter(Boolean);
  if (sentences.length > 0) return sentences.join(' ');
  return t(status === 'READY' ? 'release.lead.ready' : 'release.lead.finalized');
}

/** Environments where it runs now, and where it landed before something else replaced it. */
function deploymentSummary(landscape: Release['landscape'], names: (entries: Release['landscape']) => string): string {
  const verified = landscape.filter(({ deployment }) => deployment?.landingVerification === 'VERIFIED');
  const location = verified.filter(({ isCurrent }) => isCurrent);
  const earlier = verified.filter(({ isCurrent }) => !isCurrent);
  if (verified.length === 0) return '';
  if (earlier.length === 0) return t('release.lead.runs', { where: names(location) });
  if (location.length === 0) return t('release.lead.earlier', { earlier: names(earlier) });
  return t('release.lead.runs.earlier', { where: names(location), earlier: names(earlier) });
}

function Facts({ release }: { readonly release: Release }) {
  const { gatedDigestSet, components, createdAt, createdBy, finalizedAt, evidence, missingEvidence } = release;
  const missing = missingEvidence.map((type) => t(`evidence.${type}`)).join(', ');
  return (
    <Gauges label={t('release.gauges')}>
      <Gauge
        label={t('release.digest')}
        value={optional(gatedDigestSet, t('release.open'), (digest) => <Digest value={digest} />)}
        sub={t('release.components', { n: components.length })}
      />
      <Gauge
        label={t('release.created')}
        value={<Time at={createdAt} />}
        sub={t('by', { who: createdBy.displayName })}
      />
      <Gauge
        label={t('release.finalized')}
        value={optional(finalizedAt, t('release.unfinalized'), (at) => <Time at={at} />)}
        sub={t(finalizedAt === null ? 'release.tags.move' : 'release.tags.pinned')}
      />
      <Gauge
        label={t('evidence.title')}
        value={
          missing === '' ? (
            <StateLabel look="signed">{t('evidence.count', { n: evidence.length })}</StateLabel>
          ) : (
            <StateLabel look="missing-attention">{t('evidence.missing', { type: missing })}</StateLabel>
          )
        }
        sub={evidence.map(({ type }) => t(`evidence.${type}`)).join(', ')}
      />
    </Gauges>
  );
}
