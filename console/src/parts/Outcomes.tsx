import type { OutcomeState } from '../generated/operations.ts';
import { count, t } from '../lib/i18n.ts';
import { Checkbox } from '../ui/Form.tsx';
import { Link } from '../ui/Link.tsx';
import { EmptyState } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { StateLabel, type StateStyle } from '../ui/StateLabel.tsx';
import { RelativeTime } from '../ui/Time.tsx';
import styles from './Outcomes.module.css';
import { adverseOutcomes, type Outcome, outcomeText } from './outcomes.ts';

const LOOKS: Readonly<Record<OutcomeState, StateStyle>> = {
  LANDED: { shape: 'verified', tone: 'good' },
  UNVERIFIED: { shape: 'unverified', tone: 'attention' },
  FAILED: { shape: 'failed', tone: 'bad' },
  HALTED: { shape: 'failed', tone: 'bad' },
  ROLLED_BACK: { shape: 'back', tone: 'bad' },
};

/** Outcomes of the same digests in every environment, beside each decision about them. */
export function Outcomes({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
  return (
    <Section title={t('outcomes.title')} count={count(outcomes.length)}>
      {outcomes.length === 0 && <EmptyState>{t('outcomes.none')}</EmptyState>}
      <ul className={styles.outcomes}>
        {outcomes.map(({ state, at, by, environment, deployment }) => (
          <li key={environment.id}>
            <StateLabel {...LOOKS[state]}>{t(`outcome.${state}`)}</StateLabel>
            <Link to="/deployments/$id" params={{ id: deployment.id }}>
              {t('arrow', { what: `${deployment.release.name} ${deployment.release.semver}`, where: environment.name })}
            </Link>
            <span className="small quiet">
              {t(state === 'ROLLED_BACK' ? 'outcome.back' : 'outcome.launched', { who: by.displayName })}{' '}
              <RelativeTime at={at} as="relative" />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The question before a decision that goes past a failure, a halt or a rollback; nothing where there was none. */
export function OutcomeAcknowledgement({
  outcomes,
  seen,
  see,
}: {
  readonly outcomes: readonly Outcome[];
  readonly seen: boolean;
  readonly see: (seen: boolean) => void;
}) {
  const asked = adverseOutcomes(outcomes);
  if (asked.length === 0) return null;
  return <Checkbox label={t('outcomes.ask', { what: outcomeText(asked) })} checked={seen} onValue={see} />;
}
