import { useEffect, useSyncExternalStore } from 'react';
import { t } from '../lib/i18n.ts';
import { createListeners } from '../lib/listeners.ts';
import { IconButton } from './Button.tsx';
import { Icon } from './Icon.tsx';
import styles from './Toast.module.css';

/** Display time of a toast, enough to read it twice, in milliseconds. */
const SHOWN_MS = 6000;

let content: { readonly text: string } | undefined;
const { subscribe, notify } = createListeners();

/** Shows a toast that something was done. Anything that needs an answer is a dialog or a banner. */
export function toast(next: string | undefined): void {
  content = next === undefined ? undefined : { text: next };
  notify();
}

/** Copies text and shows a toast, also when the browser refuses. */
export function copy(text: string, callback: string): void {
  // Without a secure context there is no clipboard.
  const writing: Promise<void> | undefined = navigator.clipboard?.writeText(text);
  if (writing === undefined) toast(t('copy.refused'));
  else
    writing.then(
      () => toast(callback),
      () => toast(t('copy.refused')),
    );
}

/**
 * Container of toasts; part of the shell. The live region is always there, or the first toast would not be announced.
 */
export function Toasts() {
  const visible = useSyncExternalStore(subscribe, () => content);
  // Time begins when the toast is drawn: a page that takes long to come shows the notice of its address, too.
  useEffect(() => {
    if (visible === undefined) return;
    const timer = setTimeout(() => toast(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [visible]);
  return (
    <div role="status" className={styles.place}>
      {visible !== undefined && (
        <div className={styles.toast}>
          {visible.text}
          <IconButton label={t('toast.close')} onClick={() => toast(undefined)}>
            <Icon name="close" />
          </IconButton>
        </div>
      )}
    </div>
  );
}
