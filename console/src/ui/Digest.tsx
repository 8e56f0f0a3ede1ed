import { firstDifference, hex, shortenDigest } from '../lib/digest.ts';
import { t } from '../lib/i18n.ts';
import styles from './Digest.module.css';
import { copy } from './Toast.tsx';

/** Shortened digest that a press copies in full; with `against` the first differing character is marked. */
export function Digest({ value, against }: { readonly value: string; readonly against?: string | null | undefined }) {
  const difference = against === undefined || against === null ? undefined : firstDifference(value, against);
  const { lead, head, mark, tail } = shortenDigest(value, difference);
  return (
    <button
      type="button"
      className={styles.digest}
      aria-label={t('digest.copy', { head: hex(value).slice(0, 8), tail })}
      onClick={() => copy(value, t('digest.copied'))}
    >
      {lead && <i>…</i>}
      {mark === undefined ? (
        head
      ) : (
        <>
          {head.slice(0, mark)}
          <mark>{head.slice(mark, mark + 1)}</mark>
          {head.slice(mark + 1)}
        </>
      )}
      <i>…{tail}</i>
    </button>
  );
}
