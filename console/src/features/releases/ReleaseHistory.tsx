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
        {releaseHistory(release).map(({ key, at, look, what: name, who: caller, quote }) => (
          <li key={key}>
            <ShapeIcon look={look} />
            <span>{name}</span>
            <p>
              <Time at={at} />
              {caller !== undefined && <>, {caller}</>}
              {quote !== undefined && <>: “{quote}”</>}
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}
