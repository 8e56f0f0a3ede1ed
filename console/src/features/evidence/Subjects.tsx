import { count } from '../../lib/i18n.ts';
import { ArtifactState } from '../../parts/Artifacts.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Link } from '../../ui/Link.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import type { Artifact } from './ArtifactPage.tsx';
import { t } from './labels.ts';

type Subject = Artifact['subjects']['items'][number];

/** Digests that the content is about. Those of images lead to where they run. */
export function Subjects({ artifact: { subjects, contentNote, verdict } }: { readonly artifact: Artifact }) {
  const { items, totalCount } = subjects;
  return (
    <TableSection
      title={t('subjects.title')}
      count={count(totalCount)}
      bare
      rows={items}
      rowId={({ algorithm, digest, predicateType }) => `${algorithm} ${digest} ${predicateType}`}
      columns={columns(verdict !== null)}
      empty={t('subjects.none')}
      labelled
    >
      {items.length < totalCount && (
        <p className="small quiet">{t('artifacts.of.first', { n: items.length, of: totalCount })}</p>
      )}
      {contentNote !== null && <p className="small quiet">{contentNote}</p>}
    </TableSection>
  );
}

/** A subject of content without a signature has no verdict: there was nothing to verify. */
const columns = (isSigned: boolean): Column<Subject>[] => [
  {
    name: t('subject.digest'),
    className: 'breaks',
    cell: ({ algorithm, digest }) =>
      algorithm === 'sha256' ? (
        <Digest value={`sha256:${digest}`} />
      ) : (
        <span className="code">{`${algorithm}:${digest}`}</span>
      ),
  },
  {
    name: t('subject.predicate'),
    className: 'breaks',
    cell: ({ predicateType }) =>
      predicateType === '' ? <span className="quiet">{t('subject.predicate.none')}</span> : predicateType,
  },
  {
    name: t('artifact.signature'),
    className: 'breaks',
    cell: ({ verdict, signer }) => (
      <ArtifactState of={{ verdict: isSigned ? verdict : null, signer, corruptAt: null }} />
    ),
  },
  {
    name: t('subject.where'),
    cell: ({ algorithm, digest }) =>
      algorithm === 'sha256' && (
        <Link to="/estate/$digest" params={{ digest: `sha256:${digest}` }}>
          {t('subject.where.open')}
        </Link>
      ),
  },
];
