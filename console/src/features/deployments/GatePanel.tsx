import type { ReactNode } from 'react';
import type { GateFragment } from '../../generated/operations.ts';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { Analysis } from './Analysis.tsx';
import styles from './Deployment.module.css';
import { ActionButton, ActionRules } from './DeploymentActions.tsx';
import { t } from './labels.ts';
import { phaseTitle } from './PhaseStrip.tsx';
import type { DeploymentActions } from './use-deployment-actions.ts';

type Phase = GateFragment['phases'][number];

/** A deployment that stands still: what is held, since when, what takes traffic meanwhile, and how it goes on. */
export function GatePanel({
  deployment,
  acts,
}: {
  readonly deployment: GateFragment;
  readonly acts: DeploymentActions;
}) {
  const held = deployment.phases.find(({ status }) => status === 'HELD');
  if (deployment.status !== 'PAUSED') return null;
  if (deployment.pauseReason !== 'TRAFFIC_GATE' || held === undefined) {
    return (
      <Section title={t('gate.paused')}>
        <div className={styles.held}>
          <p className="lead">{t('gate.paused.lead')}</p>
          <Onward acts={acts} />
        </div>
      </Section>
    );
  }
  return (
    <Section title={t('gate.held', { phase: phaseTitle(held) })}>
      <div className={styles.held}>
        <p className="lead">{lead(held, deployment)}</p>
        <HeldFacts held={held} />
        <Analysis deployment={deployment} phaseIndex={held.index} />
        <Onward acts={acts} />
      </div>
    </Section>
  );
}

const Onward = ({ acts }: { readonly acts: DeploymentActions }): ReactNode => (
  <>
    <div className={styles.onward}>
      <ActionButton acts={acts} name="advance" weight="primary" />
      <ActionButton acts={acts} name="resume" weight="primary" />
      <ActionButton acts={acts} name="halt" />
      <ActionButton acts={acts} name="cancel" />
    </div>
    <ActionRules acts={acts} />
  </>
);

/** What takes traffic while the gate is closed, in one sentence. */
function lead(held: Phase, { phases }: GateFragment): string {
  const next = phases[held.index + 1];
  if (held.weight !== null) return t('gate.lead.weight', { weight: held.weight, next: next?.weight ?? 100 });
  return t('gate.lead.targets', { n: held.targetCount, more: next?.targetCount ?? 0 });
}

function HeldFacts({ held }: { readonly held: Phase }) {
  return (
    <Facts look="pairs">
      {held.endedAt !== null && (
        <Fact label={t('gate.since')}>
          <RelativeTime at={held.endedAt} as="relative" />
        </Fact>
      )}
      <Fact label={t('gate.weight')}>
        {held.weight === null ? (
          <span className="quiet">{t('gate.weight.none')}</span>
        ) : (
          t('phase.weight', { n: held.weight })
        )}
      </Fact>
      <Fact label={t('gate.opens')}>{t(held.gate === 'ANALYSIS' ? 'gate.opens.analysis' : 'gate.opens.manual')}</Fact>
    </Facts>
  );
}
