import { t } from '../lib/i18n.ts';
import type { StageState } from '../lib/stages.ts';
import styles from './StageList.module.css';
import { type Looks, ShapeIcon } from './StateLabel.tsx';

const LOOKS: Looks<StageState> = {
  done: 'verified',
  running: 'running',
  failed: 'failed',
  unused: 'queued',
  unreached: 'queued',
};

type StageListProps = {
  readonly stages: readonly {
    readonly stage: string;
    readonly state: StageState;
    readonly note?: string | undefined;
  }[];
};

/** Nine stages downwards. The one that failed has a ground; what comes after it is hollow. `note` is a length or a word. */
export function StageList({ stages }: StageListProps) {
  return (
    <ol className={styles.rail}>
      {stages.map(({ stage, state, note }) => (
        <li key={stage} className={styles[state]}>
          <ShapeIcon look={LOOKS[state]} />
          <span>{stage}</span>
          <span>{note ?? t(`stage.${state}`)}</span>
        </li>
      ))}
    </ol>
  );
}
