import { getRouteApi } from '@tanstack/react-router';
import { WhereDigestRunsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { DriftTable } from '../../parts/DriftTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { ReleaseLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { CrumbGap, PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/estate/$digest');

/** Where one digest runs, and which releases have it. */
export function DigestPage() {
  const { digest } = route.useParams();
  const answer = useLiveQuery(WhereDigestRunsDocument, { digest }, ['Target', 'Agent', 'Deployment']);
  return (
    <>
      <PageHead
        title={t('digest.title', { head: digest.replace('sha256:', '').slice(0, 12) })}
        crumbs={
          <>
            <Link to="/estate">{t('estate.title')}</Link>
            <CrumbGap />
            <span>{t('digest.crumb')}</span>
          </>
        }
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
              {locations.length === 0 ? (
                <EmptyState>{t('digest.nowhere')}</EmptyState>
              ) : (
                <DriftTable rows={locations} />
              )}
            </Section>
            <Section title={t('digest.releases')} count={count(releases.length)}>
              {releases.length === 0 && <EmptyState>{t('digest.unreleased')}</EmptyState>}
              <ul className="stack">
                {releases.map(({ id, name, semver, status }) => (
                  <li key={id} className="row">
                    <Link look="name" to="/releases/$id" params={{ id }}>
                      {name} {semver}
                    </Link>
                    <ReleaseLabel status={status} />
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
