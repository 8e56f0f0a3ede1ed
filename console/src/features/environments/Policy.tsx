import type { EnvironmentPolicyFragment } from '../../generated/operations.ts';
import { formatSteps } from '../../lib/canary-steps.ts';
import { span } from '../../lib/time.ts';
import { AdminButton } from '../../parts/AdminButton.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Section.tsx';
import styles from './Environments.module.css';
import { t } from './labels.ts';

type PolicyProps = { readonly environment: EnvironmentPolicyFragment; readonly edit: () => void };

/** Policy of an environment: its rules for releases, and its default strategy. */
export function Policy({ environment, edit }: PolicyProps) {
  const { requiredApprovals, separationOfDuties, requiredEvidence, defaultStrategy, strategyParams } = environment;
  const { analysis, approvingClientIds, deployTimeoutSeconds, orderIndex, isExclusive } = environment;
  const evidence = requiredEvidence.map((type) => t(`evidence.${type}`)).join(', ');
  const expected = environment.evidencePolicy
    .map(({ evidence: type, predicateType }) => (type === null ? predicateType : t(`evidence.${type}`)))
    .join(', ');
  return (
    <Section title={t('policy.title')} side={<AdminButton label={t('environment.edit')} press={edit} />}>
      <div className={styles.policy}>
        <Facts look="pairs">
          <Fact label={t('policy.order')}>{orderIndex}</Fact>
          <Fact label={t('policy.products')}>{t(`policy.products.${isExclusive ? 'ENVIRONMENT' : 'PRODUCT'}`)}</Fact>
          <Fact label={t('policy.approvals')}>
            {t('policy.approvals.n', { n: requiredApprovals })}
            {separationOfDuties === 'AUTHOR' && <span className="soft">, {t('environments.separationOfDuties')}</span>}
          </Fact>
          <Fact label={t('policy.clients')}>
            {approvingClientIds.length === 0 ? (
              <span className="quiet">{t('policy.clients.none')}</span>
            ) : (
              approvingClientIds.map((id) => (
                <div key={id} className="code">
                  {id}
                </div>
              ))
            )}
          </Fact>
          <Fact label={t('policy.evidence')}>{evidence || <span className="quiet">{t('none')}</span>}</Fact>
          <Fact label={t('policy.expected')}>{expected || <span className="quiet">{t('none')}</span>}</Fact>
          <Fact label={t('policy.strategy')}>{t(`strategy.${defaultStrategy}`)}</Fact>
          <Fact label={t('policy.batch')}>{t('policy.percent', { n: strategyParams.batchPercent })}</Fact>
          <Fact label={t('policy.steps')}>{formatSteps(strategyParams.canarySteps)} %</Fact>
          <Fact label={t('policy.gate')}>{t(`gate.${strategyParams.gate}`)}</Fact>
          <Fact label={t('policy.timeout')}>{span(deployTimeoutSeconds * 1000)}</Fact>
          <Fact label={t('policy.analysis')}>
            {analysis === null ? (
              <span className="quiet">{t('policy.analysis.none')}</span>
            ) : (
              t('strategy.gate.analysis', {
                name: analysis.integration.name,
                interval: analysis.intervalSeconds,
                passes: analysis.passes,
                failures: analysis.failures,
              })
            )}
          </Fact>
          {analysis !== null && <Fact label={t('policy.bounds')}>{boundsWords(analysis)}</Fact>}
        </Facts>
        {analysis !== null && <CodeBlock label={t('analysis.query')} text={analysis.query} wrap />}
      </div>
    </Section>
  );
}

const boundsWords = ({ min, max }: NonNullable<EnvironmentPolicyFragment['analysis']>): string => {
  if (min === null) return t('policy.max', { max: String(max) });
  return max === null
    ? t('policy.min', { min: String(min) })
    : t('policy.between', { min: String(min), max: String(max) });
};
