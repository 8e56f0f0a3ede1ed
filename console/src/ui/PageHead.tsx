import { type ReactNode, useEffect } from 'react';
import { t } from '../lib/i18n.ts';
import styles from './PageHead.module.css';

/**
 * The head of a page: where, what, in which state, what to do next, and one plain sentence of what is true. It also
 * names the browser's tab.
 */
export function PageHead({
  crumbs,
  title,
  tab = title,
  state,
  verbs,
  children,
}: {
  readonly crumbs?: ReactNode;
  readonly title: string;
  /** The words of the tab when they differ from the title. */
  readonly tab?: string;
  readonly state?: ReactNode;
  readonly verbs?: ReactNode;
  readonly children?: ReactNode;
}) {
  useEffect(() => {
    document.title = t('head.tab', { title: tab });
  }, [tab]);
  return (
    <>
      {crumbs !== undefined && (
        <nav className={styles.crumbs} aria-label={t('head.crumbs')}>
          {crumbs}
        </nav>
      )}
      <header className={styles.head}>
        <div className={styles.title}>
          <h1>{title}</h1>
          {state}
        </div>
        {children !== undefined && <p className={`lead ${styles.lead}`}>{children}</p>}
        {verbs && <div className={styles.verbs}>{verbs}</div>}
      </header>
    </>
  );
}

/** The head of a page whose first part says what it is: heard, named in the tab, and not seen. */
export function HiddenHeading({ title }: { readonly title: string }) {
  useEffect(() => {
    document.title = t('head.tab', { title });
  }, [title]);
  return <h1 className="sr">{title}</h1>;
}

/** Between two crumbs. */
export const CrumbGap = () => <span aria-hidden="true">/</span>;
