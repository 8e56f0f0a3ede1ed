import { useState } from 'react';
import type { EvidenceType } from '../../generated/operations.ts';
import { Checkbox } from '../../ui/Form.tsx';
import styles from './Environments.module.css';
import { t } from './labels.ts';

type RequiredEvidenceProps = {
  readonly types: readonly EvidenceType[];
  readonly chosen: readonly EvidenceType[];
};

/** Evidence that a release needs before it is ready, where this is the first environment of the path. */
export function RequiredEvidence({ types, chosen: selection }: RequiredEvidenceProps) {
  const [selected, want] = useState(() => new Set(selection));
  const change = (type: EvidenceType, on: boolean) =>
    want(new Set(types.filter((one) => (one === type ? on : selected.has(one)))));
  return (
    <fieldset>
      <legend className="small quiet">{t('policy.evidence.choose')}</legend>
      <div className={styles.checks}>
        {types.map((type) => (
          <Checkbox
            key={type}
            label={t(`evidence.${type}`)}
            checked={selected.has(type)}
            onValue={(on) => change(type, on)}
          />
        ))}
      </div>
      {[...selected].map((type) => (
        <input key={type} type="hidden" name="requiredEvidence" value={type} />
      ))}
    </fieldset>
  );
}
