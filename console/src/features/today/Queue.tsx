import type { ReactNode } from 'react';
import type { Cursor } from '../../lib/cursor.ts';
import { count, t } from '../../lib/i18n.ts';
import { Section } from '../../ui/Section.tsx';
import { Table } from '../../ui/Table.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import styles from './Today.module.css';

/** One queue: its head, and rows of state, what, why, age and verb. */
export function Queue({
  title,
  n,
  children,
}: {
  readonly title: string;
  readonly n: number;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles.queue}>
      <Section title={title} count={count(n)}>
        <Table
          label={title}
          list
          quietHead
          head={[
            { name: t('queue.state'), width: '112px' },
            { name: t('queue.what'), width: '26%' },
            { name: t('queue.why') },
            { name: t('queue.age'), width: '64px' },
            { name: t('queue.verb'), width: '112px' },
          ]}
        >
          {children}
        </Table>
      </Section>
    </div>
  );
}

/** A row of a queue. `what` names the thing, `where` the environment it goes to. */
export function QueueRow({
  id,
  cursor,
  mark,
  what,
  where,
  why,
  since,
  verb,
}: {
  readonly id: string;
  readonly cursor: Cursor;
  readonly mark: ReactNode;
  readonly what: string;
  readonly where?: string;
  readonly why: ReactNode;
  readonly since: string;
  /** The row's verb, which is primary where the cursor stands. */
  readonly verb: (weight: 'primary' | 'normal') => ReactNode;
}) {
  return (
    <tr {...cursor.row(id)}>
      <td>{mark}</td>
      <th scope="row">
        <b>{what}</b> {where !== undefined && <span>{t('queue.to', { where })}</span>}
      </th>
      <td className={styles.why}>{why}</td>
      <td className={`num quiet ${styles.when}`}>
        <RelativeTime at={since} />
      </td>
      <td className={`end ${styles.end}`}>{verb(cursor.current === id ? 'primary' : 'normal')}</td>
    </tr>
  );
}
