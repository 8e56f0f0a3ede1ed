import styles from './Clamped.module.css';

/** Long text of which two lines are shown; a tip has all of it. */
export const Clamped = ({ text }: { readonly text: string }) => (
  <span className={styles.clamped} title={text}>
    {text}
  </span>
);
