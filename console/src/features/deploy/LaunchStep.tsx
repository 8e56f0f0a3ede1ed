import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId, useRef, useState } from 'react';
import {
  type DeployedProductFragment,
  type DeployQuery,
  LaunchDeploymentDocument,
  type LaunchStepFragment,
  type PlanQuery,
  type PreflightQuery,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { type QueryState, useAction } from '../../lib/graph-hooks.ts';
import type { ComparisonState } from '../../parts/Comparison.tsx';
import { OutcomeAcknowledgement, useAcknowledgement } from '../../parts/Outcomes.tsx';
import type { Outcome } from '../../parts/outcomes.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { DeploymentPageLink } from '../../ui/EntityLink.tsx';
import { PromotionLabel } from '../../ui/EntityStates.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import styles from './Deploy.module.css';
import { labelOr, t } from './labels.ts';
import { Step } from './Step.tsx';
import type { Chosen } from './strategy.ts';

type Report = PreflightQuery['preflight'];
type Environment = NonNullable<DeployQuery['environment']>;
type Props = {
  readonly promotion: LaunchStepFragment | undefined;
  readonly environment: Environment;
  /** The release's product there, where some of it was deployed. */
  readonly place: DeployedProductFragment | undefined;
  readonly comparison: ComparisonState;
  readonly releaseId: string;
  readonly report: Report | undefined;
  readonly chosen: Chosen;
  readonly plan: QueryState<PlanQuery>;
  /** Whether every field of the strategy is valid. */
  readonly isReadable: boolean;
  readonly seen: ReadonlySet<string>;
  readonly outcomes: readonly Outcome[];
  /** Deployment that a promotion of this release has become. */
  readonly deploymentOf: (promotionId: string) => string | undefined;
};

export function LaunchStep(props: Props) {
  const { promotion, releaseId, report, chosen: selected, plan, seen, outcomes, deploymentOf } = props;
  const { asked, seen: isAcknowledged, see } = useAcknowledgement(outcomes);
  const verb = useAction(LaunchDeploymentDocument);
  const navigate = useNavigate();
  const button = useRef<HTMLButtonElement>(null);
  const reason = useId();
  // Another person's launch may have come first: the link to that deployment stays, also after it has landed.
  const [pressed, setPressed] = useState<string>();
  const raced = pressed === undefined || verb.problem === undefined ? undefined : deploymentOf(pressed);
  const reasons = [...disabledReasons(props), ...(isAcknowledged ? [] : [t('launch.blocked.outcomes')])];
  const n = plan.data?.strategyPlan.targetCount;
  // The shortcut only focuses the button, so that a slip of the keyboard launches nothing.
  useCommands([{ id: 'launch', keys: 'l', title: t('launch.go'), run: () => button.current?.focus() }]);

  const launch = async () => {
    if (promotion === undefined) return;
    const unknown = report?.checks.filter(({ status, key }) => status === 'UNKNOWN' && seen.has(key)) ?? [];
    setPressed(promotion.id);
    const finished = await verb.run({
      promotionId: promotion.id,
      // The launch uses the previewed strategy even when the environment changed meanwhile.
      strategy: selected.strategy,
      params: { ...selected.params, canarySteps: [...selected.params.canarySteps] },
      acknowledgeUnknown: unknown.map(({ key }) => key),
      acknowledgeOutcomes: asked,
    });
    if (finished !== undefined) void navigate({ to: '/deployments/$id', params: { id: finished.launchDeployment.id } });
  };

  return (
    <Step number={3} title={t('launch.title')}>
      <LaunchFacts {...props} />
      <div className={`${styles.foot} ${styles.launch}`}>
        <Removals comparison={props.comparison} />
        <OutcomeAcknowledgement outcomes={outcomes} seen={isAcknowledged} see={see} />
        <ActionError
          problem={verb.problem}
          next={verb.problem && <span>{labelOr(`launch.advice.${verb.problem.code}`, '')}</span>}
        />
        {raced !== undefined && <DeploymentPageLink id={raced}>{t('launch.openActive')}</DeploymentPageLink>}
        {reasons.length > 0 && (
          <p className="small problem" id={reason}>
            {reasons.join(' ')}{' '}
            {promotion === undefined && (
              <Link to="/releases/$id" params={{ id: releaseId }}>
                {t('launch.requestPromotion')}
              </Link>
            )}
          </p>
        )}
        <Button
          ref={button}
          weight="primary"
          off={reasons.length > 0}
          busy={verb.busy}
          onClick={() => void launch()}
          {...(reasons.length > 0 ? { 'aria-describedby': reason } : {})}
        >
          {n === undefined ? t('launch.title') : t('launch.verb', { n })} <kbd>l</kbd>
        </Button>
      </div>
    </Step>
  );
}

/** Why the button is off, as sentences; empty when it is on. */
function disabledReasons({ promotion, report, plan, comparison, isReadable }: Props): string[] {
  const reasons: string[] = [];
  if (report === undefined) reasons.push(t('launch.blocked.unchecked'));
  else if (!report.armed) reasons.push(t('launch.blocked.checks', { n: report.failedCheckKeys.length }));
  if (!isReadable) reasons.push(t('launch.blocked.strategy'));
  else if (plan.problem !== undefined) reasons.push(t('launch.blocked.plan'));
  if (isUnread(comparison)) reasons.push(t('launch.blocked.comparison'));
  if (promotion === undefined) reasons.push(t('launch.blocked.promotion'));
  else if (!promotion.viewerCanLaunch.allowed) reasons.push(refused(promotion.viewerCanLaunch));
  return reasons;
}

/** Whether the changes, of which some may be removals, are still to come. */
const isUnread = ({ data, problem }: ComparisonState): boolean => data === undefined && problem === undefined;

/** Warning of the components that run there and that a launch would remove. */
function Removals({ comparison: { data } }: Pick<Props, 'comparison'>) {
  const removed = (data?.components ?? []).flatMap(({ kind, name }) => (kind === 'REMOVED' ? name : []));
  if (removed.length === 0) return null;
  return (
    <StateLabel look="attention" wrap>
      {t('launch.removes', { n: removed.length, names: removed.join(', ') })}
    </StateLabel>
  );
}

const refused = ({ code, reason }: LaunchStepFragment['viewerCanLaunch']): string =>
  code === 'PERM_SCOPE_DENIED' ? t('launch.blocked.scope') : (reason ?? '');

function LaunchFacts({ promotion, environment, place: location }: Pick<Props, 'promotion' | 'environment' | 'place'>) {
  const currentDeployment = location?.currentDeployment ?? null;
  const activeDeployment = location?.activeDeployment ?? null;
  return (
    <Facts>
      <Fact label={t('launch.promotion')}>
        {promotion === undefined ? (
          <span className="quiet">{t('none')}</span>
        ) : (
          <PromotionLabel state={promotion.state} />
        )}
      </Fact>
      {promotion !== undefined && (
        <>
          <Fact label={t('approvals.title')}>{approvals(promotion)}</Fact>
          <Fact label={t('launch.requestedBy')}>{promotion.requestedBy.displayName}</Fact>
          <Fact label={t('launch.reason')}>{promotion.reason}</Fact>
        </>
      )}
      <Fact label={t('launch.current')}>
        {currentDeployment === null ? (
          <span className="quiet">{t('launch.noRelease')}</span>
        ) : (
          <span>
            {currentDeployment.release.semver}
            {currentDeployment.completedAt !== null && (
              <>
                , <RelativeTime at={currentDeployment.completedAt} />
              </>
            )}
          </span>
        )}
      </Fact>
      <Fact label={t('launch.rollback')}>
        {currentDeployment?.landingVerification === 'VERIFIED' ? (
          t('launch.rollback.to', { semver: currentDeployment.release.semver })
        ) : (
          <span className="quiet">{t('launch.rollback.none')}</span>
        )}
      </Fact>
      {environment.variableSet !== null && (
        <Fact label={t('launch.variables')}>
          {t('launch.variables.version', { n: environment.variableSet.version })}
        </Fact>
      )}
      {activeDeployment !== null && (
        <Fact label={t('launch.active')}>
          <DeploymentPageLink id={activeDeployment.id}>{t('deployment.open')}</DeploymentPageLink>
        </Fact>
      )}
    </Facts>
  );
}

function approvals({ approvals: decided, approvalsNeeded }: LaunchStepFragment): ReactNode {
  const have = decided.filter(({ decision }) => decision === 'APPROVED').length;
  const enough = have >= approvalsNeeded;
  return <StateLabel look={enough ? 'verified' : 'held'}>{t('of', { n: have, of: approvalsNeeded })}</StateLabel>;
}
