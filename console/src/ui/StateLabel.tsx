import type { ReactNode } from 'react';
import styles from './StateLabel.module.css';

const line = { fill: 'none', stroke: 'currentColor' } as const;
const cut = { fill: 'none', stroke: 'var(--page)' } as const;

/** Shapes on 14 units. The shape alone identifies the state; colour and text repeat it. */
const SHAPES = {
  verified: (
    <>
      <circle cx="7" cy="7" r="6.4" fill="currentColor" />
      <path d="M4.1 7.3l2 2 3.8-4.4" {...cut} strokeWidth={1.6} />
    </>
  ),
  unverified: <circle cx="7" cy="7" r="5.6" {...line} strokeWidth={1.6} strokeDasharray="2.4 2" />,
  mismatch: (
    <>
      <path d="M7 .2L13.8 7 7 13.8.2 7z" fill="currentColor" />
      <path d="M4.4 5.9h5.2M4.4 8.3h5.2M8.7 4.2L5.3 10" {...cut} strokeWidth={1.1} />
    </>
  ),
  failed: (
    <>
      <rect x=".8" y=".8" width="12.4" height="12.4" rx="1.5" fill="currentColor" />
      <path d="M4.3 4.3l5.4 5.4m0-5.4L4.3 9.7" {...cut} strokeWidth={1.6} />
    </>
  ),
  running: (
    <>
      <circle cx="7" cy="7" r="5.7" {...line} strokeWidth={1.4} />
      <path d="M7 3.4a3.6 3.6 0 010 7.2z" fill="currentColor" />
    </>
  ),
  signed: (
    <>
      <circle cx="7" cy="7" r="5.7" {...line} strokeWidth={1.4} />
      <circle cx="7" cy="7" r="2.4" fill="currentColor" />
    </>
  ),
  unobserved: (
    <>
      <rect x="1.2" y="1.2" width="11.6" height="11.6" {...line} strokeWidth={1.1} />
      <path d="M1.5 7L7 1.5M1.5 12.5l11-11M7 12.5L12.5 7" {...line} />
    </>
  ),
  missing: (
    <>
      <circle cx="7" cy="7" r="5.6" {...line} strokeWidth={1.6} strokeDasharray="2.4 2" />
      <path d="M5 9l4-4" {...line} strokeWidth={1.4} />
    </>
  ),
  queued: <circle cx="7" cy="7" r="3" {...line} strokeWidth={1.3} />,
  held: (
    <>
      <circle cx="7" cy="7" r="5.7" {...line} strokeWidth={1.4} />
      <path d="M5.4 4.8v4.4M8.6 4.8v4.4" {...line} strokeWidth={1.5} />
    </>
  ),
  back: (
    <>
      <circle cx="7" cy="7" r="5.7" {...line} strokeWidth={1.4} />
      <path d="M10 8.6V7.2H4.4M6.2 5.2l-2 2 2 2" {...line} strokeWidth={1.4} />
    </>
  ),
  sealed: (
    <>
      <path d="M4 6.4V4.6a3 3 0 016 0v1.8" {...line} strokeWidth={1.5} />
      <rect x="2" y="6.2" width="10" height="7" rx="1.2" fill="currentColor" />
    </>
  ),
  attention: (
    <>
      <path d="M7 .8l6.6 12.1H.4z" fill="currentColor" />
      <path d="M7 5v4M7 10.2v1.3" {...cut} strokeWidth={1.5} />
    </>
  ),
} as const;

type Shape = keyof typeof SHAPES;
/**
 * Meaning of a state for its colour: good, attention, bad and unknown judge it; waiting and running have the accent
 * colour; muted needs no attention.
 */
export type Tone = 'good' | 'attention' | 'bad' | 'unknown' | 'waiting' | 'running' | 'muted';

/** Tone of each look. A look is named after its shape; one of another tone than usual has the tone in its name. */
const TONES = {
  verified: 'good',
  unverified: 'attention',
  mismatch: 'bad',
  failed: 'bad',
  running: 'running',
  signed: 'unknown',
  'signed-muted': 'muted',
  'signed-waiting': 'waiting',
  unobserved: 'unknown',
  missing: 'muted',
  'missing-attention': 'attention',
  queued: 'muted',
  'queued-waiting': 'waiting',
  held: 'waiting',
  'held-attention': 'attention',
  'held-muted': 'muted',
  back: 'unknown',
  'back-bad': 'bad',
  'back-running': 'running',
  sealed: 'waiting',
  attention: 'attention',
} as const satisfies Partial<Record<Shape | `${Shape}-${Tone}`, Tone>>;
/** State as it is drawn. Its text comes from the messages. */
export type Look = keyof typeof TONES;
export type Looks<State extends string> = Readonly<Record<State, Look>>;
export const toneOf = (look: Look): Tone => TONES[look];

const shapes: ReadonlyMap<string, ReactNode> = new Map(Object.entries(SHAPES));

/** Shape without its text, where the text is nearby. */
export function ShapeIcon({ look, size = 14 }: { readonly look: Look; readonly size?: 14 | 32 }) {
  return (
    <svg className={styles[toneOf(look)]} width={size} height={size} viewBox="0 0 14 14" aria-hidden="true">
      {shapes.get(look.replace(/-.*/, ''))}
    </svg>
  );
}

type StateLabelProps = { readonly look: Look; readonly wrap?: boolean; readonly children: ReactNode };

export function StateLabel({ look, wrap = false, children }: StateLabelProps) {
  return (
    <span className={`${styles.mark} ${styles[`word-${toneOf(look)}`] ?? ''} ${wrap ? styles.wrap : ''}`}>
      <ShapeIcon look={look} />
      {children}
    </span>
  );
}

export function StateList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul className={styles.strip} aria-label={label}>
      {children}
    </ul>
  );
}
