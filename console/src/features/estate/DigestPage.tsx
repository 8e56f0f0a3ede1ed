import { getRouteApi } from '@tanstack/react-router';
import { DigestLocationsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { DriftTable } from '../../parts/DriftTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { ReleaseLink } from '../../ui/EntityLink.tsx';
import { ReleaseLabel } from '../../ui/EntityStates.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/estate/$digest');

export function DigestPage() {
  const { digest } = route.useParams();
  const answer = useLiveQuery(DigestLocationsDocument, { digest }, ['Target', 'Agent', 'Deployment']);
  return (
    <>
      <PageHead
        title={t('digest.title', { head: digest.replace('sha256:', '').slice(0, 12) })}
        crumbs={[{ path: '/estate', label: t('estate.title') }]}
        state={<Digest value={digest} />}
      />
      <QueryResult of={answer} skeleton={<SkeletonRows rows={6} />} fault={t('digest.fault')}>
        {({
          estate: {
            digest: { locations, releases },
          },
        }) => (
          <>
            <Section title={t('digest.locations')} count={count(locations.length)} bare>
              <DriftTable empty={t('digest.notRunning')} rows={locations} />
            </Section>
            <Section title={t('digest.releases')} count={count(releases.length)}>
              {releases.length === 0 && <EmptyState>{t('digest.noRelease')}</EmptyState>}
              <ul className="stack">
                {releases.map((release) => (
                  <li key={release.id} className="row">
                    <ReleaseLink release={release} />
                    <ReleaseLabel status={release.status} />
                  </li>
                ))}
              </ul>
            </Section>
          </>
        )}
      </QueryResult>
    </>
  );
}
