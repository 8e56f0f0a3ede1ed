import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../lib/i18n.ts';
import type { Problem } from '../lib/problem.ts';
import { PartialError } from './Banner.tsx';
import { Button } from './Button.tsx';
import styles from './QueryResult.module.css';

/** Wait below which nothing is shown, in milliseconds. */
const TIMEOUT_MS = 150;

type QueryResultProps<T> = {
  readonly of: { readonly data: T | undefined; readonly problem: Problem | undefined; readonly refetch: () => void };
  readonly skeleton: ReactNode;
  readonly fault?: string;
  /** Shown alone where the entity does not exist or belongs to another tenant. */
  readonly gone?: ReactNode;
  readonly children: (data: T) => ReactNode;
};

/** States of a query: skeleton, `gone`, data with or without a problem, or a problem; `children` draw empty answers. */
export function QueryResult<T>(props: QueryResultProps<T>) {
  const {
    of: { data, problem, refetch },
    skeleton,
    fault = t('fault.page'),
    gone: removed,
    children,
  } = props;
  if (removed !== undefined && problem !== undefined && isRemoved(problem) && isBlank(data)) return removed;
  if (data !== undefined) {
    return (
      <>
        {problem !== undefined && <PartialError problem={problem} refetch={refetch} />}
        {children(data)}
      </>
    );
  }
  if (problem !== undefined) return <ErrorPanel title={fault} problem={problem} refetch={refetch} />;
  return <DelayedContent>{skeleton}</DelayedContent>;
}

const isRemoved = ({ code }: Problem): boolean => code.endsWith('_NOT_FOUND') || code === 'VAL_INVALID_UUID';

/** Whether the entity itself is missing, and not only a part of it. */
const isBlank = (data: unknown): boolean =>
  typeof data !== 'object' || data === null || Object.values(data).includes(null);

/** Shows its content after `TIMEOUT_MS`. */
function DelayedContent({ children }: { readonly children: ReactNode }) {
  const [delayed, setIsLate] = useState(false);
  useEffect(() => {
    const id = setTimeout(() => setIsLate(true), TIMEOUT_MS);
    return () => clearTimeout(id);
  }, []);
  return (
    <div aria-busy="true" className={delayed ? undefined : styles.early}>
      <span className="sr" role="status">
        {delayed && t('loading')}
      </span>
      {children}
    </div>
  );
}

const WIDTHS = [70, 52, 61, 66, 48, 74] as const;

/** Skeleton of a table. */
export function SkeletonRows({ rows }: { readonly rows: number }) {
  return (
    <div aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no other identity and never move.
        <div key={row} className={styles.line}>
          <span className={styles.bone} style={{ width: `${WIDTHS[row % WIDTHS.length] ?? 60}%` }} />
          <span className={styles.bone} style={{ width: `${(WIDTHS[(row + 3) % WIDTHS.length] ?? 60) + 20}%` }} />
          <span className={styles.bone} style={{ width: '60%' }} />
        </div>
      ))}
    </div>
  );
}

/** Skeleton of a page: its head, its gauges, its rows. */
export function SkeletonPage({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div aria-hidden="true">
      <div className={styles.title}>
        <span className={styles.bone} style={{ width: 240, height: 20 }} />
      </div>
      <div className={styles.title}>
        <span className={styles.bone} style={{ width: 420 }} />
      </div>
      <div className={styles.gauges} />
      <SkeletonRows rows={rows} />
    </div>
  );
}

type EmptyStateProps = {
  readonly mark?: ReactNode;
  readonly verb?: ReactNode;
  readonly clear?: (() => void) | undefined;
  readonly children: ReactNode;
};

/** Empty list: without `clear` it has no entries at all, with it a filter hides them and a button clears the filter. */
export function EmptyState({ mark, verb, clear, children }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      {mark}
      <span>{children}</span>
      {verb && <span className="push">{verb}</span>}
      {clear !== undefined && (
        <span className="push">
          <Button size="small" onClick={clear}>
            {t('filter.clear')} <kbd>{t('keys.escape')}</kbd>
          </Button>
        </span>
      )}
    </div>
  );
}

type ErrorPanelProps = { readonly title: string; readonly problem: Problem; readonly refetch?: () => void };

/** Failed query: plain text, the code, the request's id, and the next step. */
export function ErrorPanel({ title, problem, refetch }: ErrorPanelProps) {
  return (
    <div className={styles.fault} role="alert">
      <p className={styles.words}>{title}</p>
      <p className="soft">{problem.message}</p>
      <p className={`row ${styles.next}`}>
        {refetch !== undefined && (
          <Button size="small" onClick={refetch}>
            {t('problem.retry')}
          </Button>
        )}
        <span className="small quiet">
          {problem.code}
          {problem.requestId !== undefined && <>, {t('problem.request', { id: problem.requestId })}</>}
        </span>
      </p>
    </div>
  );
}
