import type {
  SecretRefInput,
  TargetConfigInput,
  TargetDriver,
  TargetWholeFragment,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import type { Variable } from '../../lib/variables.ts';
import { TextField } from '../../ui/Form.tsx';
import { t } from './labels.ts';
import styles from './Targets.module.css';

export const DRIVERS = ['PROCESS', 'SANDBOX', 'STATIC_SLOT', 'COMPOSE'] as const satisfies readonly TargetDriver[];

type Field = 'port' | 'probePath' | 'probeTimeoutSeconds' | 'slot' | 'project' | 'containerPort';

const SERVED = ['port', 'probePath', 'probeTimeoutSeconds'] as const;

/** What each driver is told. */
const FIELDS: Readonly<Record<TargetDriver, readonly Field[]>> = {
  PROCESS: SERVED,
  SANDBOX: SERVED,
  STATIC_SLOT: ['slot'],
  COMPOSE: ['project', ...SERVED, 'containerPort'],
};

const NUMBERS: ReadonlySet<Field> = new Set(['port', 'probeTimeoutSeconds', 'containerPort']);

/** The fields of a driver, and no other's. */
export function DriverFields({
  driver,
  config,
}: {
  readonly driver: TargetDriver;
  readonly config: TargetWholeFragment['config'] | undefined;
}) {
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

export interface TargetInput {
  readonly name: string;
  readonly config: TargetConfigInput;
  readonly secretRefs: SecretRefInput[];
}

/** What the fields and the variables say, and which of the fields make no sense. */
export function targetFrom(
  data: FormData,
  variables: readonly Variable[],
): { readonly input: TargetInput; readonly wrong: readonly FieldProblem[] } {
  const { text, maybe, whole, wrong } = readFields(data);
  const said = {
    port: whole('config.port'),
    probePath: maybe('config.probePath'),
    probeTimeoutSeconds: whole('config.probeTimeoutSeconds'),
    slot: maybe('config.slot'),
    project: maybe('config.project'),
    containerPort: whole('config.containerPort'),
  };
  const env = variables.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
  const secretRefs = variables.flatMap(({ name, secret }) => (secret === null ? [] : [{ variable: name, secret }]));
  return { input: { name: text('name'), config: { ...said, env }, secretRefs }, wrong };
}
