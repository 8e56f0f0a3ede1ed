import type { Cursor } from '../../lib/cursor.ts';
import { count, t } from '../../lib/i18n.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { PathLink } from '../../ui/Link.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import type { Queue } from './queues.tsx';
import styles from './Today.module.css';

type QueueTableProps = { readonly queue: Queue; readonly cursor: Cursor };

/** Table of a queue: state, subject, reason, age and action of each row. The current row's action is primary. */
export function QueueTable({ queue: { title, rows }, cursor }: QueueTableProps) {
  return (
    <div className={styles.queue}>
      <Section title={title} count={count(rows.length)}>
        <DataTable
          label={title}
          quietHead
          rows={rows}
          cursor={cursor}
          named={1}
          columns={[
            { name: t('queue.state'), width: '112px', cell: ({ mark }) => mark },
            {
              name: t('queue.item'),
              width: '26%',
              cell: ({ what: name, where: location }) => (
                <>
                  <b>{name}</b> {location !== undefined && <span>{t('queue.to', { where: location })}</span>}
                </>
              ),
            },
            { name: t('queue.reason'), className: styles.why ?? '', cell: ({ why: reason }) => reason },
            {
              name: t('queue.age'),
              width: '64px',
              className: `num quiet ${styles.when}`,
              cell: ({ since }) => <RelativeTime at={since} />,
            },
            {
              name: t('queue.action'),
              width: '112px',
              className: `end ${styles.end}`,
              cell: ({ id, verb, path }) => (
                <PathLink
                  data-open=""
                  look="button"
                  size="small"
                  weight={cursor.current === id ? 'primary' : 'normal'}
                  path={path}
                >
                  {verb}
                </PathLink>
              ),
            },
          ]}
        />
      </Section>
    </div>
  );
}
