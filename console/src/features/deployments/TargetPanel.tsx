import { DeploymentTargetDocument, type DeploymentTargetQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { targetState } from '../../lib/target-counts.ts';
import { ActionLink } from '../../ui/ActionLink.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { CodeBlock, CollapsedCode } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { AgentLabel, targetLook, VerdictLabel } from '../../ui/EntityStates.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { LogView } from '../../ui/LogView.tsx';
import { Panel, PanelPart } from '../../ui/Panel.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { StageList } from '../../ui/StageList.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime, Time } from '../../ui/Time.tsx';
import styles from './Deployment.module.css';
import { ActionButton } from './DeploymentActions.tsx';
import { labelOr, t } from './labels.ts';
import { type TargetProgress, targetStages } from './stages.ts';
import type { DeploymentActions } from './use-deployment-actions.ts';
import { useLog } from './use-log.ts';

type Target = NonNullable<NonNullable<DeploymentTargetQuery['deployment']>['target']>;

type TargetPanelProps = {
  readonly deploymentId: string;
  readonly targetId: string;
  /** Opened by the user, not by default. */
  readonly chosen: boolean;
  readonly actions: DeploymentActions;
  readonly close: () => void;
  readonly step: (by: 1 | -1) => void;
};

/** Panel of a target of a deployment: failure, next step, stages, landing, log. */
export function TargetPanel({ deploymentId, targetId, chosen: selected, actions, close, step }: TargetPanelProps) {
  const answer = useLiveQuery(DeploymentTargetDocument, { id: deploymentId, targetId }, ['Agent']);
  const found = answer.data?.deployment?.target ?? undefined;
  // While another target loads, the answer is still the one before.
  const target = found?.target.id === targetId ? found : undefined;
  const isWaiting = found !== undefined && target === undefined;
  useCommands([
    { id: 'panel.previous', keys: '[', title: t('panel.previous'), run: () => step(-1) },
    { id: 'panel.next', keys: ']', title: t('panel.next.target'), run: () => step(1) },
  ]);
  return (
    <Panel
      title={target?.name ?? t('targets.title')}
      subject={targetId}
      receivesFocus={selected}
      close={close}
      step={step}
    >
      <QueryResult of={answer} skeleton={<SkeletonRows rows={9} />} fault={t('panel.fault')}>
        {() => {
          if (isWaiting) return <SkeletonRows rows={9} />;
          if (target === undefined) return <EmptyState>{t('panel.notFound')}</EmptyState>;
          return <TargetContent key={targetId} deploymentId={deploymentId} target={target} actions={actions} />;
        }}
      </QueryResult>
    </Panel>
  );
}

type TargetContentProps = {
  readonly deploymentId: string;
  readonly target: Target;
  readonly actions: DeploymentActions;
};

function TargetContent({ deploymentId, target, actions }: TargetContentProps) {
  const { failureAnatomy: anatomy, timeline, status } = target;
  return (
    <>
      {anatomy === null ? <State target={target} /> : <Anatomy anatomy={anatomy} target={target} actions={actions} />}
      <PanelPart title={t('panel.stages')}>
        <StageList stages={targetStages(timeline, anatomy?.stage, progressOf(status))} />
      </PanelPart>
      <PanelPart title={t('panel.landing')}>
        <Landing target={target} />
      </PanelPart>
      <TargetLog deploymentId={deploymentId} target={target} />
      {anatomy !== null && (
        <PanelPart>
          <details>
            <summary>{t('panel.detail')}</summary>
            <CodeBlock label={t('panel.detail')} text={anatomy.detail} wrap />
            <CopyButton icon text={anatomy.detail} label={t('panel.detail.copy')} copied={t('panel.detail.copied')} />
          </details>
        </PanelPart>
      )}
      {timeline.length > 0 && <Steps timeline={timeline} />}
    </>
  );
}

const ENDED: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);

const progressOf = (status: Target['status']): TargetProgress => {
  if (status === 'HELD') return 'held';
  return ENDED.has(status) ? 'ended' : 'working';
};

function State({ target }: { readonly target: Target }) {
  const state = targetState(target);
  return (
    <PanelPart>
      <StateLabel look={targetLook(state)}>{t(`targetStatus.${state}`)}</StateLabel>
    </PanelPart>
  );
}

type AnatomyProps = {
  readonly anatomy: NonNullable<Target['failureAnatomy']>;
  readonly target: Target;
  readonly actions: DeploymentActions;
};

function Anatomy({ anatomy, target, actions }: AnatomyProps) {
  const { category, retryable, errorCode, plainReason, action, actionPath } = anatomy;
  return (
    <>
      <PanelPart>
        <p className={styles.badges}>
          <StateLabel look={target.landing?.verdict === 'MISMATCH' ? 'mismatch' : 'failed'}>
            {labelOr(`category.${category}`, category)}
          </StateLabel>
          <Badge>{category}</Badge>
          {errorCode !== null && <Badge>{errorCode}</Badge>}
          {retryable && <Badge>{t('panel.retryable')}</Badge>}
        </p>
        <p className={styles.anatomy}>{plainReason}</p>
      </PanelPart>
      <PanelPart title={t('panel.next')}>
        <p className="soft">{action}</p>
        <div className={styles.onward}>
          {retryable && <ActionButton actions={actions} name="retry" weight="primary" size="small" />}
          <ActionLink path={actionPath} here="deployment" size="small" />
        </div>
      </PanelPart>
    </>
  );
}

/** Landing of a target: approved digest above reported digest, with the first difference marked. */
function Landing({ target }: { readonly target: Target }) {
  const { landing, target: machine } = target;
  const reported = landing?.observedDigest ?? landing?.manifestDigest;
  return (
    <Facts look="pairs">
      <Fact label={t('landing.verdict')}>
        <VerdictLabel verdict={landing?.verdict ?? null} />
      </Fact>
      {landing !== null && (
        <>
          <Fact label={t('landing.gated')}>
            <Digest value={landing.gatedDigest} against={landing.verdict === 'MISMATCH' ? reported : undefined} />
          </Fact>
          <Fact label={t('landing.reported')}>
            {reported ? (
              <Digest value={reported} against={landing.verdict === 'MISMATCH' ? landing.gatedDigest : undefined} />
            ) : (
              <StateLabel look="unobserved" wrap>
                {t('landing.nothing')}
              </StateLabel>
            )}
          </Fact>
        </>
      )}
      {machine.agent !== null && (
        <Fact label={t('landing.agent')}>
          {machine.agent.name} <AgentLabel state={machine.agent.state} />
          {machine.agent.lastHeartbeatAt !== null && (
            <span className="small quiet">
              {' '}
              {t('agent.lastHeartbeat')} <RelativeTime at={machine.agent.lastHeartbeatAt} as="relative" />
            </span>
          )}
        </Fact>
      )}
    </Facts>
  );
}

function Steps({ timeline }: { readonly timeline: Target['timeline'] }) {
  return (
    <PanelPart>
      <details>
        <summary>{t('panel.steps', { n: timeline.length })}</summary>
        <ol className={styles.steps}>
          {timeline.map(({ step, detail, at }) => (
            <li key={`${at} ${step}`}>
              <span>{labelOr(`step.${step}`, step)}</span>
              <Time at={at} as="clock" />
              {detail !== null && <p>{detail}</p>}
            </li>
          ))}
        </ol>
      </details>
    </PanelPart>
  );
}

/** Live log of the target's components; without a line, the log tail of the agent's last report. */
function TargetLog({ deploymentId, target }: { readonly deploymentId: string; readonly target: Target }) {
  const { lines, problem } = useLog(deploymentId, target.target.id);
  if (lines.length === 0 && problem === undefined) return <LogTail target={target} />;
  return (
    <PanelPart title={t('panel.log.live')}>
      {problem !== undefined && <p className="small problem">{problem.message}</p>}
      {lines.length > 0 && <LogView label={t('panel.log.live')} lines={lines} />}
    </PanelPart>
  );
}

function LogTail({ target: { logTail, status } }: { readonly target: Target }) {
  if (logTail === null) return null;
  return (
    <PanelPart>
      <CollapsedCode label={t('panel.log')} text={logTail} wrap open={status === 'FAILED'} />
    </PanelPart>
  );
}
