import { useState } from 'react';
import { type ComponentChange, changedComponents, type PinnedComponent } from '../lib/changed-components.ts';
import { t } from '../lib/i18n.ts';
import styles from './ComponentChanges.module.css';
import { Digest } from './Digest.tsx';
import { Icon } from './Icon.tsx';
import { EmptyState } from './QueryResult.tsx';
import { Section } from './Section.tsx';
import { Table } from './Table.tsx';

/** What a release changes where it goes: digests side by side, the unchanged folded into one line. */
export function ComponentChanges({
  title = t('changes.title'),
  now,
  next,
}: {
  readonly title?: string;
  /** What runs there, or undefined when nothing does. */
  readonly now: { readonly semver: string; readonly components: readonly PinnedComponent[] } | undefined;
  readonly next: { readonly semver: string; readonly components: readonly PinnedComponent[] };
}) {
  const [unfolded, unfold] = useState(false);
  const changes = changedComponents(now?.components ?? [], next.components);
  const same = changes.filter(({ kind }) => kind === 'same');
  const shown = unfolded ? changes : changes.filter(({ kind }) => kind !== 'same');
  return (
    <Section title={title} count={t('changes.count', { n: changes.length - same.length, of: changes.length })}>
      {shown.length === 0 && same.length > 0 && <EmptyState>{t('changes.none')}</EmptyState>}
      {shown.length > 0 && (
        <Table
          label={title}
          list
          head={[
            { name: t('changes.component') },
            { name: t('changes.now') },
            { name: t('changes.next') },
            { name: t('changes.digest.now') },
            { name: t('changes.digest.next') },
          ]}
        >
          {shown.map((change) => (
            <Change key={change.name} change={change} />
          ))}
        </Table>
      )}
      {same.length > 0 && !unfolded && (
        <button type="button" className={styles.fold} onClick={() => unfold(true)}>
          <Icon name="right" size={14} />
          {t('changes.same', { n: same.length, names: same.map(({ name }) => name).join(', ') })}
        </button>
      )}
    </Section>
  );
}

function Change({ change: { name, kind, before, after } }: { readonly change: ComponentChange }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="soft breaks">{before === undefined ? t('changes.new') : (before.requestedTag ?? t('none'))}</td>
      <td className="breaks">
        {after === undefined
          ? t('changes.gone')
          : kind === 'same'
            ? t('changes.unchanged')
            : (after.requestedTag ?? t('none'))}
      </td>
      <td>{before?.digest && <Digest value={before.digest} against={after?.digest} />}</td>
      <td>{after?.digest && <Digest value={after.digest} against={before?.digest} />}</td>
    </tr>
  );
}
