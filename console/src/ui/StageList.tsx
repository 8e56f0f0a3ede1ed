import { t } from '../lib/i18n.ts';
import type { StageState } from '../lib/stages.ts';
import styles from './StageList.module.css';
import { ShapeIcon, type StateStyle } from './StateLabel.tsx';

const LOOKS: Readonly<Record<StageState, StateStyle>> = {
  done: { shape: 'verified', tone: 'good' },
  running: { shape: 'running', tone: 'running' },
  failed: { shape: 'failed', tone: 'bad' },
  unused: { shape: 'queued', tone: 'muted' },
  unreached: { shape: 'queued', tone: 'muted' },
};

/** Nine stages downwards. The one that failed has a ground; what comes after it is hollow. `note` is a length or a word. */
export function StageList({
  stages,
}: {
  readonly stages: readonly {
    readonly stage: string;
    readonly state: StageState;
    readonly note?: string | undefined;
  }[];
}) {
  return (
    <ol className={styles.rail}>
      {stages.map(({ stage, state, note }) => (
        <li key={stage} className={styles[state]}>
          <ShapeIcon {...LOOKS[state]} />
          <span>{stage}</span>
          <span>{note ?? t(`stage.${state}`)}</span>
        </li>
      ))}
    </ol>
  );
}
