import type { OutcomeState } from '../generated/operations.ts';
import { count, t } from '../lib/i18n.ts';
import { Checkbox } from '../ui/Form.tsx';
import { Link } from '../ui/Link.tsx';
import { EmptyState } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { type Look, StateLabel } from '../ui/StateLabel.tsx';
import { RelativeTime } from '../ui/Time.tsx';
import styles from './Outcomes.module.css';
import { adverseOutcomes, type Outcome, outcomeText } from './outcomes.ts';

const LOOKS: Readonly<Record<OutcomeState, Look>> = {
  LANDED: 'verified',
  UNVERIFIED: 'unverified',
  FAILED: 'failed',
  HALTED: 'failed',
  ROLLED_BACK: 'back-bad',
};

/** Outcomes of the same digests in every environment, beside each decision about them. */
export function Outcomes({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
  return (
    <Section title={t('outcomes.title')} count={count(outcomes.length)}>
      {outcomes.length === 0 && <EmptyState>{t('outcomes.none')}</EmptyState>}
      <ul className={styles.outcomes}>
        {outcomes.map(({ state, at, by, environment, deployment }) => (
          <li key={environment.id}>
            <StateLabel look={LOOKS[state]}>{t(`outcome.${state}`)}</StateLabel>
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

type OutcomeAcknowledgementProps = {
  readonly outcomes: readonly Outcome[];
  readonly seen: boolean;
  readonly see: (seen: boolean) => void;
};

/** Checkbox that acknowledges failures, halts and rollbacks of the same digests; absent where there are none. */
export function OutcomeAcknowledgement({ outcomes, seen, see }: OutcomeAcknowledgementProps) {
  const asked = adverseOutcomes(outcomes);
  if (asked.length === 0) return null;
  return <Checkbox label={t('outcomes.ask', { what: outcomeText(asked) })} checked={seen} onValue={see} />;
}
