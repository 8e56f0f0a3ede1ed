import type { RefusedCandidateRowFragment } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { Digest } from '../../ui/Digest.tsx';
import { ReleaseLink } from '../../ui/EntityLink.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './source-labels.ts';

/** Images and sets of images that became no release, newest first, each with the reason. */
export const RefusedCandidates = ({ refused }: { readonly refused: readonly RefusedCandidateRowFragment[] }) => (
  <TableSection
    title={t('refused.title')}
    labelled
    empty={t('refused.none')}
    rows={refused}
    columns={[
      { name: t('refused.column.what'), cell: ({ component }) => component ?? t('refused.set') },
      {
        name: t('refused.column.reason'),
        className: 'breaks',
        cell: ({ reason, code, release }) => (
          <div>
            {reason} <span className="code small quiet">{code}</span> {release && <ReleaseLink release={release} />}
          </div>
        ),
      },
      {
        name: t('refused.column.image'),
        cell: ({ tag, digest }) =>
          (tag ?? digest) && (
            <span className="row">
              {tag && <span className="code">{tag}</span>}
              {digest && <Digest value={digest} />}
            </span>
          ),
      },
      { name: t('refused.column.times'), number: true, cell: ({ times }) => count(times) },
      {
        name: t('refused.column.last'),
        number: true,
        cell: ({ lastAt }) => <RelativeTime at={lastAt} as="relative" />,
      },
    ]}
  />
);
