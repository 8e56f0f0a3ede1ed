import { type ReactNode, use } from 'react';
import { FieldProblems } from '../lib/form-drafts.ts';
import { t } from '../lib/i18n.ts';
import type { Problem } from '../lib/problem.ts';
import styles from './Banner.module.css';
import { Button } from './Button.tsx';

type BannerProps = {
  readonly tone?: 'attention' | 'bad';
  readonly title?: string;
  readonly verb?: ReactNode;
  readonly children?: ReactNode;
};

/** Line about the whole page or section below it. */
export function Banner({ tone, title, verb, children }: BannerProps) {
  return (
    <div className={`${styles.banner} ${tone === undefined ? '' : styles[tone]}`}>
      {title !== undefined && <b>{title}</b>}
      {children}
      {verb !== undefined && <span className="push">{verb}</span>}
    </div>
  );
}

/** Banner for one part that failed while the rest of the page is there. */
export function PartialError({ problem, refetch }: { readonly problem: Problem; readonly refetch: () => void }) {
  return (
    <Banner
      tone="bad"
      title={t('partial.title')}
      verb={
        <Button size="small" weight="plain" onClick={refetch}>
          {t('problem.retry')}
        </Button>
      }
    >
      <span>{problem.message}</span>
      <span className="code">{problem.code}</span>
    </Banner>
  );
}

type ActionErrorProps = {
  readonly problem: Problem | undefined;
  readonly id?: string;
  /** Advice on the next step, where the page knows more than the server. */
  readonly next?: ReactNode;
};

/** Banner for a refused mutation, beside its button. */
export function ActionError({ problem, id, next }: ActionErrorProps) {
  // Inside a form each field shows its own error; the banner lists the fields.
  const fields = use(FieldProblems);
  const marked = fields.length > 0;
  return (
    <div role="alert" id={id}>
      {problem !== undefined && (
        <Banner tone="bad" title={marked ? t('form.invalidFields', { n: fields.length }) : problem.message}>
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
