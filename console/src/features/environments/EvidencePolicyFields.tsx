import { useState } from 'react';
import type { EnvironmentPolicyFragment, EvidenceType } from '../../generated/operations.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { Icon } from '../../ui/Icon.tsx';
import styles from './Environments.module.css';
import { MAX_REQUIREMENTS, PREDICATE } from './evidence-policy-input.ts';
import { t } from './labels.ts';

type Requirement = Partial<Omit<EnvironmentPolicyFragment['evidencePolicy'][number], '__typename'>>;
type Row = { readonly key: number; readonly choice: string; readonly given: Requirement };

type EvidencePolicyFieldsProps = {
  readonly types: readonly EvidenceType[];
  readonly start: EnvironmentPolicyFragment['evidencePolicy'];
};

/** Evidence that releases are measured by in an environment. It refuses no promotion. */
export function EvidencePolicyFields({ types, start }: EvidencePolicyFieldsProps) {
  const [rows, change] = useState<readonly Row[]>(() =>
    start.map((given, key) => ({ key, choice: given.evidence ?? PREDICATE, given })),
  );
  const add = () =>
    change([
      ...rows,
      { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, choice: types[0] ?? PREDICATE, given: {} },
    ]);
  return (
    <div className="stack" style={{ gap: 8 }}>
      <p className="small quiet">{t('policy.expected.choose')}</p>
      {rows.map((row, at) => (
        <fieldset key={row.key} className={styles.requirement}>
          <legend className="sr">{t('policy.expected.nth', { n: at + 1 })}</legend>
          <Fields
            row={row}
            at={at}
            types={types}
            choose={(choice) => change(rows.map((one) => (one === row ? { ...one, choice } : one)))}
          />
          <IconButton
            label={t('policy.expected.remove', { n: at + 1 })}
            onClick={() => change(rows.filter((one) => one !== row))}
          >
            <Icon name="close" />
          </IconButton>
        </fieldset>
      ))}
      {rows.length < MAX_REQUIREMENTS && (
        <p>
          <Button size="small" onClick={add}>
            <Icon name="plus" size={14} />
            {t('policy.expected.add')}
          </Button>
        </p>
      )}
    </div>
  );
}

type FieldsProps = {
  readonly row: Row;
  readonly at: number;
  readonly types: readonly EvidenceType[];
  readonly choose: (choice: string) => void;
};

const Fields = ({ row: { choice, given }, at, types, choose }: FieldsProps) => (
  <>
    <Select
      name={`evidencePolicy.${at}.evidence`}
      label={t('policy.expected.kind')}
      value={choice}
      onValue={choose}
      options={[
        ...types.map((type) => ({ value: type, label: t(`evidence.${type}`) })),
        { value: PREDICATE, label: t('policy.expected.predicate') },
      ]}
    />
    {choice === PREDICATE && (
      <TextField
        name={`evidencePolicy.${at}.predicateType`}
        label={t('policy.expected.predicateType')}
        defaultValue={given.predicateType ?? ''}
        placeholder={t('policy.expected.predicateType.example')}
        maxLength={500}
      />
    )}
    <TextField
      name={`evidencePolicy.${at}.signer`}
      label={t('policy.expected.signer')}
      defaultValue={given.signer ?? ''}
      placeholder={t('policy.expected.signer.any')}
      maxLength={200}
    />
    <TextField
      name={`evidencePolicy.${at}.maxAgeDays`}
      label={t('policy.expected.age')}
      defaultValue={given.maxAgeDays === null || given.maxAgeDays === undefined ? '' : String(given.maxAgeDays)}
      placeholder={t('policy.expected.age.any')}
      inputMode="numeric"
    />
  </>
);
