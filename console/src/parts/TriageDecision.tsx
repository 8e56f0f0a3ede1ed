import type { TriageDecisionFactsFragment, TriageState, TriageStatus } from '../generated/operations.ts';
import { purlText } from '../lib/purl-text.ts';
import { RowButton } from '../ui/Button.tsx';
import { Clamped } from '../ui/Clamped.tsx';
import { Link } from '../ui/Link.tsx';
import { type Looks, StateLabel } from '../ui/StateLabel.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './TriageDecision.module.css';
import { t } from './triage-labels.ts';

export type Decision = TriageDecisionFactsFragment;

const STATUS: Looks<TriageStatus> = {
  NOT_AFFECTED: 'verified',
  ACCEPTED: 'held-attention',
  FALSE_POSITIVE: 'missing',
  FIXING: 'running',
};

export const TriageStatusLabel = ({ status }: { readonly status: TriageStatus }) => (
  <StateLabel look={STATUS[status]}>{t(`triage.status.${status}`)}</StateLabel>
);

const STATE: Looks<TriageState> = {
  IN_FORCE: 'verified',
  EXPIRED: 'missing',
  REVOKED: 'back',
  SUPERSEDED: 'signed-muted',
};

export const TriageStateLabel = ({ state }: { readonly state: TriageState }) => (
  <StateLabel look={STATE[state]}>{t(`triage.state.${state}`)}</StateLabel>
);

type ScopeProps = { readonly decision: Pick<Decision, 'scope' | 'component' | 'product'> };

/** Software that a decision is about. */
export function TriageScopeText({ decision: { scope, component, product } }: ScopeProps) {
  if (scope === 'COMPONENT') return <span className="code">{purlText(component ?? '')}</span>;
  if (scope === 'TENANT') return <span>{t('decision.scope.TENANT')}</span>;
  if (product === null) return <span className="quiet">{t('decision.scope.PRODUCT.unknown')}</span>;
  return (
    <Link look="name" to="/products/$id" params={{ id: product.id }}>
      {product.name}
    </Link>
  );
}

type DecisionProps = { readonly decision: Decision };

/** Decision in a row: its status, who decided, until when, and the beginning of the reason. */
export function DecisionSummary({ decision: { status, decidedBy, expiresAt, reason } }: DecisionProps) {
  const name = decidedBy.displayName;
  return (
    <div className={styles.summary}>
      <TriageStatusLabel status={status} />
      <span className="small soft">
        {expiresAt === null ? (
          t('decision.by', { name })
        ) : (
          <>
            {t('decision.by.until', { name })} <Time at={expiresAt} as="full" />
          </>
        )}
      </span>
      <span className="small quiet">
        <Clamped text={reason} />
      </span>
    </div>
  );
}

/** Decision as sentences: its status and scope, its grounds, who decided, and until when. */
export function DecisionText({ decision }: DecisionProps) {
  const { status, suppresses, justification, impactStatement, reason, decidedBy, decidedAt, expiresAt } = decision;
  return (
    <div className={styles.text}>
      <span className="row" style={{ flexWrap: 'wrap' }}>
        <TriageStatusLabel status={status} />
        <TriageScopeText decision={decision} />
        <span className="small quiet">{t(suppresses ? 'decision.suppresses' : 'decision.suppresses.not')}</span>
      </span>
      {justification !== null && <span>{t(`justification.${justification}`)}</span>}
      {impactStatement !== null && <span>{impactStatement}</span>}
      <span>{reason}</span>
      <span className="small soft">
        {t('decision.by', { name: decidedBy.displayName })} <Time at={decidedAt} />
        {expiresAt !== null && (
          <>
            {' · '}
            {t('decision.expires')} <Time at={expiresAt} as="full" />
          </>
        )}
      </span>
    </div>
  );
}

type EndButtonProps = { readonly decision: Decision; readonly press: () => void };

/** Button that asks to end a decision; absent where it has ended, or the user may not. */
export function EndDecisionButton({ decision, press }: EndButtonProps) {
  const { vulnerabilityId: id, state, viewerCanRevoke } = decision;
  if (state !== 'IN_FORCE' || !viewerCanRevoke.allowed) return null;
  return (
    <RowButton label={t('decision.end.label', { id })} press={press}>
      {t('decision.end')}
    </RowButton>
  );
}
