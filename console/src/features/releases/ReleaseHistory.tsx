import type { ReleaseHistoryFragment } from '../../generated/operations.ts';
import { Section } from '../../ui/Section.tsx';
import { ShapeIcon } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import styles from './Releases.module.css';
import { releaseHistory } from './release-history.ts';

export function ReleaseHistory({ release }: { readonly release: ReleaseHistoryFragment }) {
  return (
    <Section title={t('history.title')}>
      <ol className={styles.history}>
        {releaseHistory(release).map(({ key, at, look, what, who, quote }) => (
          <li key={key}>
            <ShapeIcon look={look} />
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
