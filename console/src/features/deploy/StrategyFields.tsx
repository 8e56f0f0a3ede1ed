import type { StrategyChoiceFragment, TrafficGate } from '../../generated/operations.ts';
import { formatCanarySteps, formatSteps, parseCanarySteps } from '../../lib/canary-steps.ts';
import { useCommands } from '../../lib/commands.ts';
import { GATES, STRATEGIES } from '../../lib/enums.ts';
import { SegmentedControl, TextField } from '../../ui/Form.tsx';
import styles from './Deploy.module.css';
import { t } from './labels.ts';
import { batchOf, type Chosen, type StrategySearch, type StrategyText, unreadable } from './strategy.ts';

type StrategyFieldsProps = {
  readonly environment: StrategyChoiceFragment;
  readonly chosen: Chosen;
  readonly text: StrategyText;
  readonly setText: (next: StrategyText) => void;
  readonly choose: (next: StrategySearch) => void;
};

/** Fields of the strategy. Valid values are in the address at once; invalid ones stay in their field. */
export function StrategyFields({ environment, chosen: selected, text, setText, choose }: StrategyFieldsProps) {
  const { strategy, params } = selected;
  const wrong = unreadable(text, strategy);
  useCommands(
    STRATEGIES.filter((value) => value !== strategy).map((value) => ({
      id: `strategy.${value}`,
      title: t('strategy.command', { strategy: t(`strategy.${value}`) }),
      run: () => choose({ strategy: value }),
    })),
  );
  const writeBatch = (batch: string) => {
    setText({ ...text, batch });
    const read = batchOf.read(batch);
    if (read !== undefined) choose({ batch: read });
  };
  const writeSteps = (steps: string) => {
    setText({ ...text, steps });
    const read = parseCanarySteps(steps);
    if (read !== undefined) choose({ steps: formatCanarySteps(read) });
  };
  return (
    <div className={styles.strategy}>
      <SegmentedControl
        label={t('strategy.label')}
        value={strategy}
        options={STRATEGIES.map((value) => ({ value, label: t(`strategy.${value}`) }))}
        choose={(next) => choose({ strategy: next })}
      />
      {strategy === 'ROLLING' && (
        <TextField
          name="batch"
          label={t('strategy.batch')}
          hint={t('strategy.batch.hint')}
          wrong={wrong.includes('batch') ? t('strategy.batch.wrong') : undefined}
          inputMode="numeric"
          value={text.batch ?? String(params.batchPercent)}
          onValue={writeBatch}
        />
      )}
      {strategy === 'CANARY' && (
        <TextField
          name="steps"
          label={t('strategy.steps')}
          hint={t('strategy.steps.hint')}
          wrong={wrong.includes('steps') ? t('strategy.steps.wrong') : undefined}
          value={text.steps ?? formatSteps(params.canarySteps)}
          onValue={writeSteps}
        />
      )}
      {(strategy === 'CANARY' || strategy === 'BLUE_GREEN') && (
        <Gate environment={environment} gate={params.gate} choose={choose} />
      )}
    </div>
  );
}

type GateProps = {
  readonly environment: StrategyChoiceFragment;
  readonly gate: TrafficGate;
  readonly choose: (next: StrategySearch) => void;
};

/** Gate policy between phases. Without an analysis the environment cannot open gates by itself. */
function Gate({ environment: { analysis }, gate, choose }: GateProps) {
  return (
    <div className={styles.gate}>
      <p id="gate-label">{t('strategy.gate')}</p>
      <SegmentedControl
        label={t('strategy.gate')}
        value={gate}
        options={GATES.map((value) => ({
          value,
          label: t(`gate.${value}`),
          off: value === 'ANALYSIS' && analysis === null,
        }))}
        choose={(next) => choose({ gate: next })}
      />
      <p className="small quiet">
        {analysis === null
          ? t('strategy.gate.without')
          : t('strategy.gate.analysis', {
              name: analysis.integration.name,
              interval: analysis.intervalSeconds,
              passes: analysis.passes,
              failures: analysis.failures,
            })}
      </p>
    </div>
  );
}
