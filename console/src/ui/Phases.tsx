import type { ReactNode } from 'react';
import styles from './Phases.module.css';
import { type Look, ShapeIcon } from './StateLabel.tsx';

/** Targets of a phase by outcome, in the fixed order in which they are drawn. */
type Tally = {
  readonly verified: number;
  readonly unverified: number;
  readonly bad: number;
  readonly running: number;
  /** Past their phase without a verdict. */
  readonly held: number;
  readonly waiting: number;
};

const ORDER = ['verified', 'unverified', 'bad', 'running', 'held', 'waiting'] as const;

type MeterProps = { readonly tally: Tally; readonly label: string; readonly tall?: boolean };

/** Bar whose segments are shares of a whole, with `label` as its text alternative. */
export function Meter({ tally, label, tall = false }: MeterProps) {
  return (
    <div className={`${styles.meter} ${tall ? styles.tall : ''}`} role="img" aria-label={label}>
      {ORDER.filter((part) => tally[part] > 0).map((part) => (
        <i key={part} className={styles[part]} style={{ flexGrow: tally[part] }} />
      ))}
    </div>
  );
}

/** Phases across, each as wide as its share of the targets. With many phases only the bars are visible. */
export function Phases({ many = false, children }: { readonly many?: boolean; readonly children: ReactNode }) {
  return <ol className={`${styles.phases} ${many ? styles.many : ''}`}>{children}</ol>;
}

type PhaseProps = {
  readonly title: string;
  readonly size: number;
  readonly tally: Tally;
  readonly words: string;
  /** Note beside the title: the status, the share of the traffic. */
  readonly note?: string | undefined;
  readonly current: boolean;
};

export function Phase({ title, size, tally, words, note, current }: PhaseProps) {
  return (
    <li
      className={styles.phase}
      style={{ flexGrow: size }}
      title={`${title}, ${words}`}
      aria-current={current ? 'step' : undefined}
    >
      <b>{title}</b> {note !== undefined && <span className={styles.note}>{note}</span>}
      <Meter tally={tally} label={words} tall />
      <p>{words}</p>
    </li>
  );
}

/** Gate between two phases. `label` names who opens it and whether it is open. */
export function PhaseGate({ label, look }: { readonly label: string; readonly look: Look }) {
  return (
    <li className={styles.gate} title={label}>
      <ShapeIcon look={look} />
      <span>{label}</span>
    </li>
  );
}
