import type { ReactNode } from 'react';
import type { GatePanelFragment } from '../../generated/operations.ts';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { Analysis } from './Analysis.tsx';
import styles from './Deployment.module.css';
import { ActionButtons, ActionRules } from './DeploymentActions.tsx';
import { t } from './labels.ts';
import { phaseTitle } from './PhaseStrip.tsx';
import type { DeploymentActions } from './use-deployment-actions.ts';

type Phase = GatePanelFragment['phases'][number];

type GatePanelProps = { readonly deployment: GatePanelFragment; readonly actions: DeploymentActions };

/** Panel of a paused deployment: the gate, since when, the traffic meanwhile, and how it continues. */
export function GatePanel({ deployment, actions }: GatePanelProps) {
  const heldPhase = deployment.phases.find(({ status }) => status === 'HELD');
  if (deployment.status !== 'PAUSED') return null;
  if (deployment.pauseReason !== 'TRAFFIC_GATE' || heldPhase === undefined) {
    return (
      <Section title={t('gate.paused')}>
        <div className={styles.held}>
          <p className="lead">{t('gate.paused.lead')}</p>
          <GateActions actions={actions} />
        </div>
      </Section>
    );
  }
  return (
    <Section title={t('gate.held', { phase: phaseTitle(heldPhase) })}>
      <div className={styles.held}>
        <p className="lead">{lead(heldPhase, deployment)}</p>
        <GateFacts held={heldPhase} />
        <Analysis deployment={deployment} phaseIndex={heldPhase.index} />
        <GateActions actions={actions} />
      </div>
    </Section>
  );
}

const GateActions = ({ actions }: { readonly actions: DeploymentActions }): ReactNode => (
  <>
    <div className={styles.onward}>
      <ActionButtons actions={actions} names={['advance', 'resume', 'halt', 'cancel']} />
    </div>
    <ActionRules actions={actions} />
  </>
);

function lead(heldPhase: Phase, { phases }: GatePanelFragment): string {
  const next = phases[heldPhase.index + 1];
  if (heldPhase.weight !== null) return t('gate.lead.weight', { weight: heldPhase.weight, next: next?.weight ?? 100 });
  return t('gate.lead.targets', { n: heldPhase.targetCount, more: next?.targetCount ?? 0 });
}

function GateFacts({ held: heldPhase }: { readonly held: Phase }) {
  return (
    <Facts look="pairs">
      {heldPhase.endedAt !== null && (
        <Fact label={t('gate.since')}>
          <RelativeTime at={heldPhase.endedAt} as="relative" />
        </Fact>
      )}
      <Fact label={t('gate.weight')}>
        {optional(heldPhase.weight, t('gate.weight.none'), (n) => t('phase.weight', { n }))}
      </Fact>
      <Fact label={t('gate.opening')}>
        {t(heldPhase.gate === 'ANALYSIS' ? 'gate.opening.analysis' : 'gate.opening.manual')}
      </Fact>
    </Facts>
  );
}
