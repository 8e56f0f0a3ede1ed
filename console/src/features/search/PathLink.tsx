import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import styles from '../../ui/Link.module.css';

/** A way to an address of the console that is known only once it is there: what search has found says where it is. */
export function PathLink({
  path,
  go,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly path: string; readonly go?: () => void }) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    go?.();
    // Whoever wants another tab gets one from the browser.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    router.history.push(path);
  };
  return <a {...rest} className={styles.text} href={path} onClick={follow} />;
}
