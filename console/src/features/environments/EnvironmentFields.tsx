import {
  type EnvironmentPolicyFragment,
  type EvidenceType,
  MetricsServersDocument,
  type SeparationOfDuties,
  type StageKind,
} from '../../generated/operations.ts';
import { formatSteps, parseCanarySteps } from '../../lib/canary-steps.ts';
import { GATES, STRATEGIES } from '../../lib/enums.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { Checkbox, Select, TextArea, TextField } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import styles from './Environments.module.css';
import { EvidencePolicyFields } from './EvidencePolicyFields.tsx';
import { evidencePolicyInput } from './evidence-policy-input.ts';
import { field, t } from './labels.ts';
import { RequiredEvidence } from './RequiredEvidence.tsx';

const KINDS = ['DEV', 'TEST', 'STAGE', 'PROD'] as const satisfies readonly StageKind[];
const DUTIES = ['OFF', 'AUTHOR'] as const satisfies readonly SeparationOfDuties[];
/** Scopes of the lock that a promotion or a deployment takes. */
const LOCKS = ['PRODUCT', 'ENVIRONMENT'] as const;
const EVIDENCE = ['SBOM', 'VEX', 'SCORE_PROOF', 'PROVENANCE'] as const satisfies readonly EvidenceType[];

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const oneOf = <const T extends string>(words: readonly [T, ...T[]], word: string): T =>
  words.find((one) => one === word) ?? words[0];

/** Settings of an environment as the form has them; fields that make no sense are marked in `fields.wrong`. */
export function environmentInput(fields: FormFields, data: FormData, isAnalysed: boolean) {
  const { text, whole: complete, decimal, list, need, wrong } = fields;
  need('name');
  need('orderIndex');
  const canarySteps = parseCanarySteps(text('strategyParams.canarySteps'));
  if (canarySteps === undefined)
    wrong.push({ field: 'strategyParams.canarySteps', message: t('strategy.steps.wrong'), code: 'NO_STEPS' });
  const approvingClientIds = list('approvingClientIds');
  if (approvingClientIds.some((id) => !UUID.test(id)))
    wrong.push({ field: 'approvingClientIds', message: t('policy.clients.wrong'), code: 'NO_IDS' });
  if (isAnalysed) need('analysis.integrationId');
  if (isAnalysed) need('analysis.query');
  return {
    name: text('name'),
    orderIndex: complete('orderIndex') ?? 0,
    stageKind: oneOf(KINDS, text('stageKind')),
    requiredApprovals: complete('requiredApprovals'),
    approvingClientIds,
    separationOfDuties: oneOf(DUTIES, text('separationOfDuties')),
    requiredEvidence: EVIDENCE.filter((type) => data.getAll('requiredEvidence').includes(type)),
    evidencePolicy: evidencePolicyInput(fields, EVIDENCE),
    defaultStrategy: oneOf(STRATEGIES, text('defaultStrategy')),
    strategyParams: {
      batchPercent: complete('strategyParams.batchPercent'),
      canarySteps: canarySteps === undefined ? null : [...canarySteps],
      gate: oneOf(GATES, text('strategyParams.gate')),
    },
    analysis: isAnalysed
      ? {
          integrationId: text('analysis.integrationId'),
          query: text('analysis.query'),
          min: decimal('analysis.min'),
          max: decimal('analysis.max'),
          intervalSeconds: complete('analysis.intervalSeconds'),
          passes: complete('analysis.passes'),
          failures: complete('analysis.failures'),
        }
      : null,
    deployTimeoutSeconds: complete('deployTimeoutSeconds'),
    isExclusive: oneOf(LOCKS, text('isExclusive')) === 'ENVIRONMENT',
  };
}

type IntegerFieldProps = ReturnType<typeof field> & { readonly start: number; readonly required?: boolean };

/** Field of a whole number. */
const IntegerField = ({ start, ...rest }: IntegerFieldProps) => (
  <TextField {...rest} inputMode="numeric" defaultValue={String(start)} />
);

type EnvironmentFieldsProps = {
  readonly environment: EnvironmentPolicyFragment | undefined;
  readonly orderIndex: number;
  readonly isAnalysed: boolean;
  readonly analyse: (isAnalysed: boolean) => void;
};

/** Fields of an environment; a new one begins with the platform's defaults. */
export function EnvironmentFields({ environment, orderIndex, isAnalysed, analyse }: EnvironmentFieldsProps) {
  const { strategyParams } = environment ?? {};
  return (
    <>
      <div className={styles.pair}>
        <TextField
          {...field('name', 'environments.column.name')}
          hint={t('release.field.name.hint')}
          defaultValue={environment?.name ?? ''}
          maxLength={64}
          required
          autoFocus
        />
        <Select
          name="stageKind"
          label={t('environments.column.kind')}
          options={KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          defaultValue={environment?.stageKind ?? 'DEV'}
        />
        <IntegerField {...field('orderIndex', 'policy.order')} start={orderIndex} required />
        <IntegerField
          {...field('deployTimeoutSeconds', 'policy.timeout.seconds')}
          start={environment?.deployTimeoutSeconds ?? 600}
        />
        <Select
          {...field('isExclusive', 'policy.products')}
          options={LOCKS.map((value) => ({ value, label: t(`policy.products.${value}`) }))}
          defaultValue={environment?.isExclusive ? 'ENVIRONMENT' : 'PRODUCT'}
        />
      </div>
      <fieldset className={styles.group}>
        <legend>{t('policy.approval')}</legend>
        <div className={styles.pair}>
          <IntegerField
            {...field('requiredApprovals', 'policy.approvals')}
            start={environment?.requiredApprovals ?? 1}
          />
          <Select
            name="separationOfDuties"
            label={t('policy.separationOfDuties')}
            options={DUTIES.map((value) => ({ value, label: t(`separationOfDuties.${value}`) }))}
            defaultValue={environment?.separationOfDuties ?? 'OFF'}
          />
        </div>
        <TextArea
          {...field('approvingClientIds', 'policy.clients')}
          defaultValue={environment?.approvingClientIds.join('\n') ?? ''}
          rows={2}
        />
        <RequiredEvidence types={EVIDENCE} chosen={environment?.requiredEvidence ?? []} />
        <EvidencePolicyFields types={EVIDENCE} start={environment?.evidencePolicy ?? []} />
      </fieldset>
      <fieldset className={styles.group}>
        <legend>{t('policy.deploy')}</legend>
        <div className={styles.pair}>
          <Select
            name="defaultStrategy"
            label={t('policy.strategy')}
            options={STRATEGIES.map((value) => ({ value, label: t(`strategy.${value}`) }))}
            defaultValue={environment?.defaultStrategy ?? 'ALL_AT_ONCE'}
          />
          <Select
            name="strategyParams.gate"
            label={t('strategy.gate')}
            options={GATES.map((value) => ({ value, label: t(`gate.${value}`) }))}
            defaultValue={strategyParams?.gate ?? 'MANUAL'}
          />
          <IntegerField
            {...field('strategyParams.batchPercent', 'strategy.batch')}
            start={strategyParams?.batchPercent ?? 25}
          />
          <TextField
            {...field('strategyParams.canarySteps', 'strategy.steps')}
            defaultValue={formatSteps(strategyParams?.canarySteps ?? [10, 50, 100])}
          />
        </div>
      </fieldset>
      <fieldset className={styles.group}>
        <legend>{t('policy.analysis')}</legend>
        <Checkbox label={t('policy.analysis.on')} checked={isAnalysed} onValue={analyse} />
        {isAnalysed && <AnalysisFields analysis={environment?.analysis ?? undefined} />}
      </fieldset>
    </>
  );
}

type AnalysisFieldsProps = {
  readonly analysis: NonNullable<EnvironmentPolicyFragment['analysis']> | undefined;
};

function AnalysisFields({ analysis }: AnalysisFieldsProps) {
  const { data } = useLiveQuery(MetricsServersDocument, {}, ['Integration']);
  const servers = (data?.integrations ?? []).filter(({ kind }) => kind === 'METRICS');
  const bound = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value));
  return (
    <>
      {data !== undefined && servers.length === 0 && (
        <p className="soft">
          {t('policy.analysis.servers')} <Link to="/integrations">{t('nav.integrations')}</Link>
        </p>
      )}
      {/* The choice is made once its options are there. */}
      <Select
        key={servers.length}
        name="analysis.integrationId"
        label={t('policy.server')}
        options={servers.map(({ id, name }) => ({ value: id, label: name }))}
        {...(analysis && { defaultValue: analysis.integration.id })}
      />
      <TextArea
        {...field('analysis.query', 'analysis.query')}
        defaultValue={analysis?.query ?? ''}
        maxLength={4000}
        rows={3}
      />
      <div className={styles.pair}>
        <TextField {...field('analysis.min', 'policy.min.field')} defaultValue={bound(analysis?.min)} />
        <TextField {...field('analysis.max', 'policy.max.field')} defaultValue={bound(analysis?.max)} />
        <IntegerField
          {...field('analysis.intervalSeconds', 'policy.interval')}
          start={analysis?.intervalSeconds ?? 10}
        />
        <IntegerField {...field('analysis.passes', 'policy.passes')} start={analysis?.passes ?? 3} />
        <IntegerField {...field('analysis.failures', 'policy.failures')} start={analysis?.failures ?? 1} />
      </div>
    </>
  );
}
