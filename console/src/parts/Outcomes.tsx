import { useState } from 'react';
import type { OutcomeState } from '../generated/operations.ts';
import { count, t } from '../lib/i18n.ts';
import { Checkbox } from '../ui/Form.tsx';
import { Link } from '../ui/Link.tsx';
import { EmptyState } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { type Looks, StateLabel } from '../ui/StateLabel.tsx';
import { RelativeTime } from '../ui/Time.tsx';
import styles from './Outcomes.module.css';
import { adverseOutcomes, type Outcome, outcomeText } from './outcomes.ts';

const LOOKS: Looks<OutcomeState> = {
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
              {t('promotion.summary', {
                what: `${deployment.release.name} ${deployment.release.semver}`,
                where: environment.name,
              })}
            </Link>
            <span className="small quiet">
              {t(state === 'ROLLED_BACK' ? 'outcome.rolledBackBy' : 'outcome.launchedBy', { who: by.displayName })}{' '}
              <RelativeTime at={at} as="relative" />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Acknowledgement of adverse outcomes. It is stored by deployment: one that comes meanwhile needs a new one. */
export function useAcknowledgement(outcomes: readonly Outcome[]) {
  const [acknowledged, acknowledge] = useState<readonly string[]>([]);
  const adverse = adverseOutcomes(outcomes).map(({ deployment: { id } }) => id);
  const see = (isAcknowledged: boolean) => acknowledge(isAcknowledged ? adverse : []);
  return { asked: adverse, seen: adverse.every((id) => acknowledged.includes(id)), see };
}

type OutcomeAcknowledgementProps = {
  readonly outcomes: readonly Outcome[];
  readonly seen: boolean;
  readonly see: (seen: boolean) => void;
  /** Asks for the acknowledgement that a press lacked. */
  readonly unseen?: boolean;
};

/** Checkbox that acknowledges failures, halts and rollbacks of the same digests; absent where there are none. */
export function OutcomeAcknowledgement({
  outcomes,
  seen: isAcknowledged,
  see,
  unseen: needsAcknowledgement = false,
}: OutcomeAcknowledgementProps) {
  const adverse = adverseOutcomes(outcomes);
  if (adverse.length === 0) return null;
  return (
    <>
      <Checkbox
        label={t('outcomes.acknowledge', { what: outcomeText(adverse) })}
        checked={isAcknowledged}
        onValue={see}
      />
      {needsAcknowledgement && !isAcknowledged && (
        <p className="small problem" role="alert">
          {t('outcomes.unacknowledged')}
        </p>
      )}
    </>
  );
}
