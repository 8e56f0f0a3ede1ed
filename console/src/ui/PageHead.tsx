import { Fragment, type ReactNode, type Ref, useEffect } from 'react';
import { useCommands } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import { Button, type Weight } from './Button.tsx';
import { PathLink } from './Link.tsx';
import styles from './PageHead.module.css';

/** Page above this one: its label and its address. */
type Crumb = { readonly path: string; readonly label: string };

/** Action of the page: a button in its head, a line of the palette, and a key where it has one. */
export type PageAction = {
  readonly id: string;
  readonly title: string;
  readonly keys?: string;
  readonly weight?: Weight;
  readonly button?: Ref<HTMLButtonElement>;
  readonly run: () => void;
};

type PageHeadProps = {
  readonly crumbs?: readonly Crumb[];
  readonly title: string;
  /** Title of the browser tab when it differs from the heading. */
  readonly tab?: string;
  readonly state?: ReactNode;
  readonly actions?: readonly PageAction[];
  /** Controls beside the actions. */
  readonly verbs?: ReactNode;
  readonly children?: ReactNode;
};

/** Head of a page: breadcrumb, title, state, actions and a lead sentence. It also sets the browser tab's title. */
export function PageHead({ crumbs, title, tab = title, state, actions = [], verbs, children }: PageHeadProps) {
  useEffect(() => {
    document.title = t('head.tab', { title: tab });
  }, [tab]);
  useCommands(actions.map(({ id, title: label, keys, run }) => ({ id, title: label, run, ...(keys && { keys }) })));
  const buttons = actions.map(({ id, title: label, weight, button, run }) => (
    <Button key={id} ref={button} onClick={run} {...(weight && { weight })}>
      {label}
    </Button>
  ));
  return (
    <>
      {crumbs !== undefined && (
        <nav className={styles.crumbs} aria-label={t('head.breadcrumb')}>
          {crumbs.map(({ label, path }, index) => (
            <Fragment key={label}>
              {index > 0 && <span aria-hidden="true">/</span>}
              <PathLink look="bare" path={path}>
                {label}
              </PathLink>
            </Fragment>
          ))}
        </nav>
      )}
      <header className={styles.head}>
        <div className={styles.title}>
          <h1>{title}</h1>
          {state}
        </div>
        {children !== undefined && <p className={`lead ${styles.lead}`}>{children}</p>}
        {(buttons.length > 0 || verbs) && (
          <div className={styles.verbs}>
            {buttons}
            {verbs}
          </div>
        )}
      </header>
    </>
  );
}

/** Heading of a page whose first section explains itself: for screen readers and the tab only. */
export function HiddenHeading({ title }: { readonly title: string }) {
  useEffect(() => {
    document.title = t('head.tab', { title });
  }, [title]);
  return <h1 className="sr">{title}</h1>;
}
