import { getRouteApi } from '@tanstack/react-router';
import { ComparedReleaseDocument, type ComparedReleaseQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { Comparison, useComparison } from '../../parts/Comparison.tsx';
import { releaseName } from '../../ui/EntityLink.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Select } from '../../ui/Form.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { useCompareOptions } from './CompareChoice.tsx';
import { t } from './labels.ts';
import styles from './Releases.module.css';

const route = getRouteApi('/releases/$id/compare/$other');

type Release = NonNullable<ComparedReleaseQuery['release']>;

/** Page of what a release changes against another one, or against what runs of its product in an environment. */
export function ComparePage() {
  const { id, other } = route.useParams();
  const answer = useLiveQuery(ComparedReleaseDocument, { id });
  return (
    <EntityPage of={answer} entity={({ release }) => release} fault={t('release.fault')} gone={t('release.notFound')}>
      {(release) => <Page release={release} other={other} />}
    </EntityPage>
  );
}

function Page({ release, other }: { readonly release: Release; readonly other: string }) {
  const { id: releaseId, product } = release;
  const navigate = route.useNavigate();
  const options = useCompareOptions(release);
  // Ids of environments and releases look alike: those of the path are environments.
  const environment = release.landscape.find((stop) => stop.environment.id === other)?.environment;
  const comparison = useComparison(
    environment === undefined
      ? { from: { releaseId: other }, to: { releaseId } }
      : {
          from: { productId: product.id, environmentId: environment.id },
          to: { releaseId, environmentId: environment.id },
        },
  );
  return (
    <>
      <PageHead
        crumbs={[
          { path: `/products/${product.id}`, label: release.name },
          { path: `/releases/${releaseId}`, label: releaseName(release) },
        ]}
        title={t('compare.title', { what: releaseName(release) })}
        actions={
          environment === undefined
            ? [
                {
                  id: 'compare.swap',
                  keys: 's',
                  title: t('compare.swap'),
                  // Parameters of the address, which is ahead of the page while this one loads.
                  run: () => void navigate({ params: (at) => ({ id: at.other, other: at.id }), replace: true }),
                },
              ]
            : []
        }
        verbs={
          <div className={styles.compare}>
            <Select
              name="other"
              label={t('compare.with')}
              value={other}
              // A release that is older than those of the list stays chosen.
              options={
                options.some(({ value }) => value === other)
                  ? options
                  : [{ value: other, label: otherName(comparison.data?.from.release) }, ...options]
              }
              onValue={(next) => void navigate({ params: { id: releaseId, other: next }, replace: true })}
            />
          </div>
        }
      >
        {environment === undefined
          ? t('compare.lead.release')
          : t('compare.lead.environment', { where: environment.name })}
      </PageHead>
      <Comparison of={comparison} />
    </>
  );
}

const otherName = (release: Pick<Release, 'name' | 'semver'> | null | undefined): string =>
  release ? releaseName(release) : t('none');
