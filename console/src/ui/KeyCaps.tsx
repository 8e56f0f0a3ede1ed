import { caps } from '../lib/keys.ts';
import styles from './Dialog.module.css';

const APPLE = /mac|iphone|ipad/i.test(navigator.userAgent);

export function KeyCaps({ keys }: { readonly keys: string }) {
  return (
    <span className={styles.keys}>
      {caps(keys, APPLE).map((cap) => (
        <kbd key={cap}>{cap}</kbd>
      ))}
    </span>
  );
}
