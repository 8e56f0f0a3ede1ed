import { useState } from 'react';
import { type ComponentChange, changedComponents, type PinnedComponent } from '../lib/changed-components.ts';
import { t } from '../lib/i18n.ts';
import styles from './ComponentChanges.module.css';
import { type Column, DataTable } from './DataTable.tsx';
import { Digest } from './Digest.tsx';
import { Icon } from './Icon.tsx';
import { EmptyState } from './QueryResult.tsx';
import { Section } from './Section.tsx';

type ComponentChangesProps = {
  readonly title?: string;
  /** Release that runs there, or undefined when none does. */
  readonly now: { readonly semver: string; readonly components: readonly PinnedComponent[] } | undefined;
  readonly next: { readonly semver: string; readonly components: readonly PinnedComponent[] };
};

/** Changes that a release brings to an environment: digests side by side, unchanged components folded into one line. */
export function ComponentChanges({ title = t('changes.title'), now, next }: ComponentChangesProps) {
  const [unfolded, unfold] = useState(false);
  const changes = changedComponents(now?.components ?? [], next.components);
  const same = changes.filter(({ kind }) => kind === 'same');
  const visible = unfolded ? changes : changes.filter(({ kind }) => kind !== 'same');
  return (
    <Section title={title} count={t('changes.count', { n: changes.length - same.length, of: changes.length })}>
      {visible.length === 0 && same.length > 0 && <EmptyState>{t('changes.none')}</EmptyState>}
      {visible.length > 0 && <DataTable label={title} rows={visible} rowId={({ name }) => name} columns={columns()} />}
      {same.length > 0 && !unfolded && (
        <button type="button" className={styles.fold} onClick={() => unfold(true)}>
          <Icon name="right" size={14} />
          {t('changes.unchangedNames', { n: same.length, names: same.map(({ name }) => name).join(', ') })}
        </button>
      )}
    </Section>
  );
}

const columns = (): Column<ComponentChange>[] => [
  { name: t('changes.component'), cell: ({ name }) => name },
  {
    name: t('changes.before'),
    className: 'soft breaks',
    cell: ({ before }) => (before === undefined ? t('changes.added') : (before.requestedTag ?? t('none'))),
  },
  {
    name: t('changes.after'),
    className: 'breaks',
    cell: ({ kind, after }) => {
      if (after === undefined) return t('changes.removed');
      return kind === 'same' ? t('changes.unchanged') : (after.requestedTag ?? t('none'));
    },
  },
  {
    name: t('changes.digest.before'),
    cell: ({ before, after }) => before?.digest && <Digest value={before.digest} against={after?.digest} />,
  },
  {
    name: t('changes.digest.after'),
    cell: ({ before, after }) => after?.digest && <Digest value={after.digest} against={before?.digest} />,
  },
];
