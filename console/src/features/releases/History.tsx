import type { ReleaseHistoryFragment } from '../../generated/operations.ts';
import { ShapeIcon } from '../../ui/Mark.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { historyOf } from './happenings.ts';
import styles from './Releases.module.css';
import { t } from './words.ts';

/** What happened to the release, newest first. */
export function History({ release }: { readonly release: ReleaseHistoryFragment }) {
  return (
    <Section title={t('history.title')}>
      <ol className={styles.history}>
        {historyOf(release).map(({ key, at, look, what, who, quote }) => (
          <li key={key}>
            <ShapeIcon {...look} />
            <span>{what}</span>
            <p>
              <Time at={at} />
              {who !== undefined && <>, {who}</>}
              {quote !== undefined && <>: “{quote}”</>}
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}
