import { t } from '../lib/i18n.ts';
import { Button } from './Button.tsx';
import styles from './Filters.module.css';

type PagerProps = {
  readonly after: string | undefined;
  readonly page: { readonly hasNextPage: boolean; readonly endCursor?: string | null } | undefined;
  readonly go: (after: string | undefined) => void;
};

/** Navigation of a list that is longer than a page. `after` is the cursor at which this page begins. */
export function Pager({ after, page, go }: PagerProps) {
  const end = page?.hasNextPage ? (page.endCursor ?? undefined) : undefined;
  if (after === undefined && end === undefined) return null;
  return (
    <nav className={styles.pager} aria-label={t('pager.label')}>
      {after !== undefined && (
        <Button size="small" onClick={() => go(undefined)}>
          {t('pager.newest')}
        </Button>
      )}
      {end !== undefined && (
        <Button size="small" onClick={() => go(end)}>
          {t('pager.older')}
        </Button>
      )}
    </nav>
  );
}
