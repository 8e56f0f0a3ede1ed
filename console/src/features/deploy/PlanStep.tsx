import { type ReactNode, useState } from 'react';
import { PlanDocument, type PlanQuery } from '../../generated/operations.ts';
import { type QueryState, useLiveQuery } from '../../lib/graph-hooks.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { ShapeIcon } from '../../ui/StateLabel.tsx';
import styles from './Deploy.module.css';
import { labelOr, t } from './labels.ts';
import { Step } from './Step.tsx';
import type { Chosen } from './strategy.ts';

/** Plan of a launch, made by the planner that launches. */
export const usePlan = (ids: { readonly releaseId: string; readonly environmentId: string }, selection: Chosen) =>
  useLiveQuery(
    PlanDocument,
    {
      ...ids,
      strategy: selection.strategy,
      params: { ...selection.params, canarySteps: [...selection.params.canarySteps] },
    },
    ['Target', 'Environment'],
  );

/** Phases above which only the first few are shown until unfolded. */
const MANY = 10;
const SHOWN_PHASES = 4;

type Plan = PlanQuery['strategyPlan'];
type Phase = Plan['phases'][number];

/** Plan step: the strategy with its phases, its gates and its caveats. */
export function PlanStep({ plan, children }: { readonly plan: QueryState<PlanQuery>; readonly children: ReactNode }) {
  const targets = plan.data?.strategyPlan.targetCount;
  return (
    <Step number={2} title={t('plan.title')} side={targets !== undefined && t('targets', { n: targets })}>
      {children}
      <QueryResult of={plan} skeleton={<SkeletonRows rows={3} />} fault={t('plan.fault')}>
        {({ strategyPlan }) => <Phases plan={strategyPlan} />}
      </QueryResult>
    </Step>
  );
}

function Phases({ plan }: { readonly plan: Plan }) {
  const { strategy, requestedStrategy, phases, targetCount, caveats, effectiveBehaviour } = plan;
  const [unfolded, unfold] = useState(false);
  const visible = unfolded || phases.length <= MANY ? phases : phases.slice(0, SHOWN_PHASES);
  const folded = phases.length - visible.length;
  return (
    <>
      {strategy !== requestedStrategy && (
        <p className={styles.instead}>
          {t('plan.otherStrategy', { asked: t(`strategy.${requestedStrategy}`), strategy: t(`strategy.${strategy}`) })}
        </p>
      )}
      {phases.length === 0 && <EmptyState>{t('plan.none')}</EmptyState>}
      <ol className={styles.plan} aria-label={t('phases.title')}>
        {visible.map((phase) => (
          <PhaseLine key={phase.index} phase={phase} targetCount={targetCount} />
        ))}
        {folded > 0 && (
          <li>
            <button type="button" className={styles.fold} onClick={() => unfold(true)}>
              <Icon name="right" size={14} />
              {t('plan.more', { n: folded })}
            </button>
          </li>
        )}
      </ol>
      <div className={styles.caveats}>
        {caveats.map((caveat) => (
          <Banner key={caveat}>{labelOr(`caveat.${caveat}`, caveat)}</Banner>
        ))}
      </div>
      <p className={`small quiet ${styles.foot}`}>{effectiveBehaviour}</p>
    </>
  );
}

/** Phase of the plan: its share of the traffic, or of the targets without a traffic split. Its gate follows it. */
function PhaseLine({ phase, targetCount }: { readonly phase: Phase; readonly targetCount: number }) {
  const { index, kind, weight, gate } = phase;
  const share = weight ?? (100 * phase.targetCount) / Math.max(1, targetCount);
  const gated = gate !== null && gate !== 'NONE';
  return (
    <li>
      <span className="quiet">{index + 1}</span>
      <span>
        {labelOr(`phase.${kind}`, kind)}
        {weight !== null && (
          <span className="soft">, {weight === 0 ? t('plan.weight.none') : t('plan.weight', { n: weight })}</span>
        )}
      </span>
      <span>{t('targets', { n: phase.targetCount })}</span>
      <span className={styles.track}>
        <span className={styles.share} style={{ width: `${share}%` }} />
      </span>
      {gated && (
        <p className={styles.gated}>
          <ShapeIcon look="held" />
          {t(`plan.gate.${gate}`)}
        </p>
      )}
    </li>
  );
}
