import type { TimeFactsFragment } from '../../generated/operations.ts';
import { span } from '../../lib/time.ts';
import { TimeStateLabel } from '../../parts/TimeStateLabel.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './AirGap.module.css';
import { t } from './labels.ts';

/** Age as the server measures it, by its trusted time. */
const ageText = (seconds: number): string => span(seconds * 1000);

type Row = Omit<TimeFactsFragment['content'][number], '__typename' | 'content'> & {
  readonly id: 'anchor' | TimeFactsFragment['content'][number]['content'];
};

/** Trusted time: the anchor with its source, and the ages of what a site without a network is brought. */
export function TimeSection({ time }: { readonly time: TimeFactsFragment }) {
  const { anchor } = time;
  const rows: Row[] = [
    { id: 'anchor' as const, ...time, date: anchor?.anchorTime ?? null },
    ...time.content.map(({ content, ...rest }) => ({ id: content, ...rest })),
  ];
  return (
    <Section title={t('trustedTime.title')} bare>
      <div className={styles.facts}>
        <Facts look="page">
          <Fact label={t('trustedTime.now')} at={time.now} />
          {anchor !== null && (
            <>
              <Fact label={t('anchor.source')}>{t(`anchor.source.${anchor.source}`)}</Fact>
              <Fact label={t('anchor.accuracy')}>{t('anchor.accuracy.value', { n: anchor.accuracySeconds })}</Fact>
              <Fact label={t('anchor.trust')}>
                <StateLabel look={anchor.trusted ? 'verified' : 'unverified'} wrap>
                  {t(`anchor.trusted.${anchor.trusted}`)}
                </StateLabel>
              </Fact>
              <Fact label={t('anchor.accepted')} at={anchor.acceptedAt} />
              <Fact label={t('anchor.digest')}>
                <Digest value={anchor.digest} />
              </Fact>
            </>
          )}
          {anchor?.isFuture && (
            <Fact label={t('anchor.future')}>
              <StateLabel look="attention" wrap>
                {t('anchor.future.next')}
              </StateLabel>
            </Fact>
          )}
        </Facts>
      </div>
      <DataTable label={t('ages.title')} rows={rows} columns={columns()} labelled />
    </Section>
  );
}

const columns = (): Column<Row>[] => [
  { name: t('age.of'), cell: ({ id }) => t(`age.of.${id}`) },
  { name: t('age.state'), cell: ({ state }) => <TimeStateLabel state={state} /> },
  { name: t('age'), cell: ({ ageSeconds }) => optional(ageSeconds, t('age.none'), ageText) },
  { name: t('age.date'), cell: ({ date }) => optional(date, t('age.none'), (at) => <Time at={at} />) },
  { name: t('age.warning'), cell: ({ warningSeconds }) => ageText(warningSeconds) },
  { name: t('age.breach'), cell: ({ breachSeconds }) => ageText(breachSeconds) },
];
