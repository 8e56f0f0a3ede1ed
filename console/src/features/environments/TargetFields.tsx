import type { TargetDetailFragment, TargetDriver } from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import type { Variable } from '../../lib/variables.ts';
import { TextField } from '../../ui/Form.tsx';
import styles from './Environments.module.css';
import { t } from './labels.ts';

export const DRIVERS = ['PROCESS', 'SANDBOX', 'STATIC_SLOT', 'COMPOSE'] as const satisfies readonly TargetDriver[];

type Field = 'port' | 'probePath' | 'probeTimeoutSeconds' | 'slot' | 'project' | 'containerPort';

const SERVED = ['port', 'probePath', 'probeTimeoutSeconds'] as const;

const FIELDS: Readonly<Record<TargetDriver, readonly Field[]>> = {
  PROCESS: SERVED,
  SANDBOX: SERVED,
  STATIC_SLOT: ['slot'],
  COMPOSE: ['project', ...SERVED, 'containerPort'],
};

const NUMBERS: ReadonlySet<Field> = new Set(['port', 'probeTimeoutSeconds', 'containerPort']);

type DriverFieldsProps = {
  readonly driver: TargetDriver;
  readonly config: TargetDetailFragment['config'] | undefined;
};

export function DriverFields({ driver, config }: DriverFieldsProps) {
  return (
    <div className={styles.pair}>
      {FIELDS[driver].map((field) => (
        <TextField
          key={field}
          name={`config.${field}`}
          label={t(`config.${field}`)}
          hint={t(`config.${field}.hint`)}
          defaultValue={String(config?.[field] ?? '')}
          {...(NUMBERS.has(field) && { inputMode: 'numeric' as const })}
        />
      ))}
    </div>
  );
}

/** Settings of a target as the form and its variables have them. */
export function targetInput({ text, maybe, whole: complete }: FormFields, variables: readonly Variable[]) {
  return {
    name: text('name'),
    config: {
      port: complete('config.port'),
      probePath: maybe('config.probePath'),
      probeTimeoutSeconds: complete('config.probeTimeoutSeconds'),
      slot: maybe('config.slot'),
      project: maybe('config.project'),
      containerPort: complete('config.containerPort'),
      env: variables.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }])),
    },
    secretRefs: variables.flatMap(({ name, secret }) => (secret === null ? [] : [{ variable: name, secret }])),
  };
}
