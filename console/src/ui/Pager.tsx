import { t } from '../lib/i18n.ts';
import { Button } from './Button.tsx';
import styles from './Filters.module.css';

/** The way through a list that is longer than a page. `after` is where this page begins, `end` where it stops. */
export function Pager({
  after,
  end,
  go,
}: {
  readonly after: string | undefined;
  readonly end: string | undefined;
  readonly go: (after: string | undefined) => void;
}) {
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
