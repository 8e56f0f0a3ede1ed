import type { TodayQuery } from '../../generated/operations.ts';
import { t } from '../../lib/i18n.ts';
import { Link } from '../../ui/Link.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import styles from './Today.module.css';

/** Set-up steps of an installation in their order, and which are done. */
export function stepsOf({ environments, agents }: Pick<TodayQuery, 'environments' | 'agents'>) {
  return [
    { step: 'environment', done: environments.length > 0 },
    { step: 'agent', done: agents.length > 0 },
    { step: 'target', done: environments.some(({ targets }) => targets.length > 0) },
  ] as const;
}

type FirstStepsProps = {
  readonly steps: ReturnType<typeof stepsOf>;
  readonly environmentId: string | undefined;
};

/** Steps from an empty installation to the first deployment: which are done, which is next, and where it is done. */
export function FirstSteps({ steps, environmentId }: FirstStepsProps) {
  const next = steps.find(({ done: finished }) => !finished)?.step;
  return (
    <Section title={t('setup.title')}>
      <ol className={styles.items}>
        {steps.map(({ step, done: finished }) => (
          <li key={step}>
            <StateLabel look={finished ? 'verified' : step === next ? 'queued-waiting' : 'queued'}>
              {t(`setup.${step}`)}
            </StateLabel>
            {step === next && (
              <p>
                {t(`setup.${step}.how`)} <StepLink step={step} environmentId={environmentId} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

type StepLinkProps = {
  readonly step: 'environment' | 'agent' | 'target';
  readonly environmentId: string | undefined;
};

/** Link to the page on which the step is done. */
function StepLink({ step, environmentId }: StepLinkProps) {
  if (step === 'agent') return <Link to="/agents">{t('today.action.agents')}</Link>;
  if (step === 'target' && environmentId !== undefined)
    return (
      <Link to="/environments/$id" params={{ id: environmentId }} search={{ ask: 'target' }}>
        {t('target.create')}
      </Link>
    );
  return (
    <Link to="/environments" search={{ ask: 'create' }}>
      {t('environment.create')}
    </Link>
  );
}
