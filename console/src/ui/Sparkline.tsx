import { useId } from 'react';
import styles from './Sparkline.module.css';

type Point = {
  readonly value: number | null;
  readonly verdict: 'PASS' | 'FAIL' | 'UNKNOWN';
};

const WIDTH = 480;
const HEIGHT = 72;
const PAD = 8;
/** Most points that can be distinguished; earlier ones are in the table. */
const MAX = 60;

type SparklineProps = {
  readonly points: readonly Point[];
  readonly min: number | null;
  readonly max: number | null;
};

/** Measurements in order against the bounds of their verdicts; the table beside it is the accessible equivalent. */
export function Sparkline({ points, min, max }: SparklineProps) {
  const hatch = useId();
  const visible = points.slice(-MAX);
  const scale = scaleOf(visible, [min, max]);
  const step = (WIDTH - 2 * PAD) / Math.max(1, visible.length - 1);
  const x = (index: number) => (visible.length === 1 ? WIDTH / 2 : PAD + index * step);
  const column = Math.min(24, Math.max(4, step * 0.7));
  return (
    <svg className={styles.chart} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path d="M0 0v5" className={styles.hatch} />
        </pattern>
      </defs>
      {[min, max].map(
        (bound, index) =>
          bound !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are two bounds, the lower one first.
            <path key={index} d={`M0 ${scale(bound)}H${WIDTH}`} className={styles.bound} />
          ),
      )}
      {lines(visible, x, scale).map((path) => (
        <path key={path} d={path} className={styles.line} />
      ))}
      {visible.map(({ value, verdict }, index) => {
        const key = points.length - visible.length + index;
        if (value === null || verdict === 'UNKNOWN')
          return (
            <rect
              key={key}
              x={x(index) - column / 2}
              y={PAD / 2}
              width={column}
              height={HEIGHT - PAD}
              fill={`url(#${hatch})`}
              className={styles.silent}
            />
          );
        if (verdict === 'PASS')
          return <circle key={key} cx={x(index)} cy={scale(value)} r="3.5" className={styles.pass} />;
        return <rect key={key} x={x(index) - 4} y={scale(value) - 4} width="8" height="8" className={styles.fail} />;
      })}
    </svg>
  );
}

/** Scale from a value to its height, with every point and both bounds in sight. */
function scaleOf(points: readonly Point[], bounds: readonly (number | null)[]): (value: number) => number {
  const values = [...points.map(({ value }) => value), ...bounds].filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const range = high - low || 1;
  return (value) => (high === low ? HEIGHT / 2 : PAD + ((high - value) / range) * (HEIGHT - 2 * PAD));
}

/** Lines between neighbours that both were answered: nothing is drawn over a silence. */
function lines(points: readonly Point[], x: (at: number) => number, y: (value: number) => number): string[] {
  return points.flatMap(({ value, verdict }, index) => {
    const next = points[index + 1];
    if (value === null || verdict === 'UNKNOWN' || next === undefined) return [];
    if (next.value === null || next.verdict === 'UNKNOWN') return [];
    return [`M${x(index)} ${y(value)}L${x(index + 1)} ${y(next.value)}`];
  });
}
