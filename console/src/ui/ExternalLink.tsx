import type { ReactNode } from 'react';
import { t } from '../lib/i18n.ts';
import styles from './Link.module.css';

type ExternalLinkProps = { readonly href: string; readonly children: ReactNode };

/** Link to a page outside of the console, in a tab of its own; text alone where the address is not one of the web. */
export function ExternalLink({ href, children }: ExternalLinkProps) {
  if (!/^https?:\/\//i.test(href)) return children;
  return (
    <a href={href} className={styles.outside} target="_blank" rel="noreferrer">
      {children}
      <span className="sr"> {t('link.newTab')}</span>
    </a>
  );
}
