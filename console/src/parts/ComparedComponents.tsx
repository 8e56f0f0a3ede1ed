import { useState } from 'react';
import type { ChangedComponentFragment, ComparisonFragment } from '../generated/operations.ts';
import { unchangedComponents } from '../lib/comparison.ts';
import { comparisonLabelOr, comparisonLabel as t } from '../lib/comparison-labels.ts';
import { Badge } from '../ui/Badge.tsx';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { Digest } from '../ui/Digest.tsx';
import { ExternalLink } from '../ui/ExternalLink.tsx';
import { Icon } from '../ui/Icon.tsx';
import { EmptyState } from '../ui/QueryResult.tsx';
import styles from './Comparison.module.css';

type Change = ChangedComponentFragment;
type Image = NonNullable<Change['from']>;

/** Components that differ, with version and digest of both sides; unchanged ones are folded into one line. */
export function ComparedComponents({ comparison }: { readonly comparison: ComparisonFragment }) {
  const { components, to, unchangedComponents: count } = comparison;
  return (
    <>
      {components.length === 0 && count > 0 && <EmptyState>{t('comparison.none')}</EmptyState>}
      {components.length > 0 && (
        <DataTable
          label={t('changes.title')}
          labelled
          rows={components}
          rowId={({ name }) => name}
          columns={columns(components.some(({ compareUrl }) => compareUrl !== null))}
        />
      )}
      {count > 0 && <Unchanged count={count} all={unchangedComponents(to.release?.components ?? [], components)} />}
    </>
  );
}

const columns = (isLinked: boolean): Column<Change>[] => [
  { name: t('changes.component'), cell: ({ name }) => name },
  { name: t('comparison.change'), cell: ({ kind }) => <Kind kind={kind} /> },
  {
    name: t('comparison.before'),
    className: 'soft breaks',
    cell: ({ from, to }) => from && <ImageVersion image={from} other={to} />,
  },
  {
    name: t('comparison.after'),
    className: 'breaks',
    cell: ({ from, to }) => to && <ImageVersion image={to} other={from} />,
  },
  ...(isLinked ? [{ name: t('comparison.source'), cell: (change: Change) => <Source change={change} /> }] : []),
];

const TONES = { ADDED: 'good', REMOVED: 'bad', CHANGED: undefined, UNKNOWN: 'attention' } as const;

function Kind({ kind }: Pick<Change, 'kind'>) {
  const tone = TONES[kind];
  return (
    <span>
      <Badge {...(tone && { tone })}>{comparisonLabelOr(`comparison.kind.${kind}`, kind)}</Badge>
    </span>
  );
}

/** Version and digest of an image; its repository too where the other side has another one. */
function ImageVersion({ image, other }: { readonly image: Image; readonly other: Image | null }) {
  const { version, requestedTag, digest, repository } = image;
  return (
    <span className={styles.image}>
      <span>{version ?? requestedTag ?? t('none')}</span>
      {digest === null ? (
        <span className="small quiet">{t('comparison.noDigest')}</span>
      ) : (
        <Digest value={digest} against={other?.digest} />
      )}
      {other !== null && other.repository !== repository && <span className={styles.repository}>{repository}</span>}
    </span>
  );
}

const Source = ({ change: { name, compareUrl } }: { readonly change: Change }) =>
  compareUrl === null ? null : <ExternalLink href={compareUrl}>{t('commits.component.source', { name })}</ExternalLink>;

type UnchangedProps = {
  readonly count: number;
  readonly all: readonly {
    readonly name: string;
    readonly requestedTag: string | null;
    readonly digest: string | null;
  }[];
};

function Unchanged({ count, all }: UnchangedProps) {
  const [unfolded, unfold] = useState(false);
  if (all.length === 0) return <p className={styles.note}>{t('comparison.unchangedCount', { n: count })}</p>;
  const title = t('changes.unchangedNames', { n: count, names: all.map(({ name }) => name).join(', ') });
  if (!unfolded)
    return (
      <button type="button" className={styles.fold} onClick={() => unfold(true)}>
        <Icon name="right" size={14} />
        {title}
      </button>
    );
  return (
    <DataTable
      label={t('changes.unchanged')}
      labelled
      rows={all}
      rowId={({ name }) => name}
      columns={[
        { name: t('changes.component'), cell: ({ name }) => name },
        { name: t('comparison.change'), cell: () => <span className="quiet">{t('changes.unchanged')}</span> },
        {
          name: t('comparison.after'),
          className: 'breaks',
          cell: ({ requestedTag, digest }) => (
            <span className={styles.image}>
              <span>{requestedTag ?? t('none')}</span>
              {digest !== null && <Digest value={digest} />}
            </span>
          ),
        },
      ]}
    />
  );
}
