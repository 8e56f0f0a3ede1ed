import { useRef } from 'react';
import type { TargetGridFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { count } from '../../lib/i18n.ts';
import { TARGET_FILTERS, targetState } from '../../lib/target-counts.ts';
import { Chip } from '../../ui/Button.tsx';
import { type Cell, CellGrid } from '../../ui/CellGrid.tsx';
import { targetLook } from '../../ui/EntityStates.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import styles from './Deployment.module.css';
import { labelOr, t } from './labels.ts';

type Target = TargetGridFragment['targets'][number];

/** Filter of the grid: targets of one state, or all that need attention. */
type Only = (typeof TARGET_FILTERS)[number];

const NEEDS_ATTENTION: ReadonlySet<string> = new Set(['FAILED', 'MISMATCH', 'UNVERIFIED']);

const isOf = (target: Target, only: Only): boolean =>
  only === 'look' ? NEEDS_ATTENTION.has(targetState(target)) : targetState(target) === only;

type TargetGridProps = {
  readonly deployment: TargetGridFragment;
  readonly chosen: string | undefined;
  readonly open: (target: string) => void;
  readonly only: Only | undefined;
  readonly setOnly: (only: Only | undefined) => void;
};

/** Grid of all targets. Pressing one opens its panel. */
export function TargetGrid({ deployment: { targets }, chosen: selected, open, only, setOnly }: TargetGridProps) {
  const container = useRef<HTMLDivElement>(null);
  const visible = only === undefined ? targets : targets.filter((target) => isOf(target, only));
  useCommands([
    {
      id: 'targets',
      keys: 't',
      title: t('targets.skip'),
      run: () => container.current?.querySelector<HTMLElement>('[data-cell][tabindex="0"]')?.focus(),
    },
    ...(only === undefined ? [] : [{ id: 'filter.clear', title: t('filter.clear'), run: () => setOnly(undefined) }]),
  ]);
  return (
    <Section title={t('targets.title')} count={count(targets.length)} bare>
      <Narrow targets={targets} only={only} setOnly={setOnly} />
      {visible.length === 0 ? (
        <EmptyState clear={only === undefined ? undefined : () => setOnly(undefined)}>
          {t(only === undefined ? 'targets.none' : 'targets.noMatch')}
        </EmptyState>
      ) : (
        <div ref={container}>
          <CellGrid label={t('targets.title')} cells={visible.map(cellOf)} chosen={selected} open={open} />
        </div>
      )}
    </Section>
  );
}

type NarrowProps = {
  readonly targets: readonly Target[];
  readonly only: Only | undefined;
  readonly setOnly: (only: Only | undefined) => void;
};

/** Filter chip for each state with its count; none where all targets have one state. */
function Narrow({ targets, only, setOnly }: NarrowProps) {
  const existing = TARGET_FILTERS.map((one) => ({
    one,
    n: targets.filter((target) => isOf(target, one)).length,
  })).filter(({ one, n }) => one === only || (n > 0 && n < targets.length));
  if (existing.length === 0) return null;
  return (
    <search className={styles.narrow} aria-label={t('filter.label')}>
      {existing.map(({ one, n }) => (
        <Chip key={one} pressed={one === only} onPress={() => setOnly(one === only ? undefined : one)}>
          {one === 'look' ? t('targets.attention', { n }) : t('targets.filter', { what: t(`targetStatus.${one}`), n })}
        </Chip>
      ))}
    </search>
  );
}

function cellOf(target: Target): Cell {
  return { look: targetLook(targetState(target)), id: target.target.id, name: target.name, word: word(target) };
}

/** State of a target as text: its verdict, its failure cause or its current step. */
function word(target: Target): string {
  const state = targetState(target);
  const { failureAnatomy, step } = target;
  if (state === 'FAILED' && failureAnatomy !== null) {
    return labelOr(`category.${failureAnatomy.category}`, failureAnatomy.category);
  }
  return state === 'RUNNING' && step !== null ? labelOr(`step.${step}`, step) : t(`targetStatus.${state}`);
}
