import { type ReactNode, use } from 'react';
import { FieldProblems } from '../lib/form-drafts.ts';
import { t } from '../lib/i18n.ts';
import type { Problem } from '../lib/problem.ts';
import styles from './Banner.module.css';
import { Button } from './Button.tsx';

/** A line that holds for the whole page or part below it. */
export function Banner({
  tone,
  title,
  verb,
  children,
}: {
  readonly tone?: 'attention' | 'bad';
  readonly title?: string;
  readonly verb?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className={`${styles.banner} ${tone === undefined ? '' : styles[tone]}`}>
      {title !== undefined && <b>{title}</b>}
      {children}
      {verb !== undefined && <span className="push">{verb}</span>}
    </div>
  );
}

/** One part did not answer; the rest of the page stands. */
export function PartialError({ problem, refetch }: { readonly problem: Problem; readonly refetch: () => void }) {
  return (
    <Banner
      tone="bad"
      title={t('partial.title')}
      verb={
        <Button size="small" weight="plain" onClick={refetch}>
          {t('problem.again')}
        </Button>
      }
    >
      <span>{problem.message}</span>
      <span className="code">{problem.code}</span>
    </Banner>
  );
}

/** A verb was refused: what the server said, where the verb is. */
export function ActionError({
  problem,
  id,
  next,
}: {
  readonly problem: Problem | undefined;
  readonly id?: string;
  /** Advice on what to do next, where more is known than the server said. */
  readonly next?: ReactNode;
}) {
  // Inside a form each field says what is wrong with it; here stands which ones.
  const fields = use(FieldProblems);
  const marked = fields.length > 0;
  return (
    <div role="alert" id={id}>
      {problem !== undefined && (
        <Banner tone="bad" title={marked ? t('refusal.fields', { n: fields.length }) : problem.message}>
          {marked && <span>{fields.map(({ field }) => field).join(', ')}</span>}
          {next}
          <span className="code">{problem.code}</span>
          {problem.requestId !== undefined && (
            <span className="small">{t('problem.request', { id: problem.requestId })}</span>
          )}
        </Banner>
      )}
    </div>
  );
}
