import type { ProductQuery } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { ReleaseLabel } from '../../ui/EntityStates.tsx';
import { Link, LinkButton } from '../../ui/Link.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type Releases = ProductQuery['releases'];
type ProductReleasesProps = { readonly name: string; readonly releases: Releases };

/** Newest releases of a product, and where each of them runs. */
export function ProductReleases({ name, releases: { edges, pageInfo } }: ProductReleasesProps) {
  return (
    <TableSection
      title={t('releases.title')}
      side={
        <LinkButton size="small" weight="plain" to="/releases" search={{ name }}>
          {t(pageInfo.hasNextPage ? 'product.releases.all' : 'action.releases')}
        </LinkButton>
      }
      bare
      labelled
      empty={t('product.releases.none')}
      rows={edges.map(({ node }) => node)}
      columns={[
        {
          name: t('releases.column.release'),
          cell: ({ id, semver }) => (
            <Link look="name" to="/releases/$id" params={{ id }}>
              {semver}
            </Link>
          ),
        },
        { name: t('product.releases.status'), cell: ({ status }) => <ReleaseLabel status={status} /> },
        {
          name: t('product.releases.runs'),
          className: 'soft',
          cell: ({ landscape }) =>
            listText(landscape.filter(({ isCurrent }) => isCurrent).map(({ environment }) => environment.name)),
        },
        { name: t('product.releases.author'), className: 'breaks', cell: ({ createdBy }) => createdBy.displayName },
        { name: t('product.created'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
