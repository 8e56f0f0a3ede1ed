import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './Button.module.css';

export type Weight = 'normal' | 'primary' | 'plain';
export type Size = 'normal' | 'small';

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'className'> & {
  readonly weight?: Weight | undefined;
  readonly size?: Size | undefined;
  /** Disabled, but focusable, with its reason in `aria-describedby`. */
  readonly off?: boolean;
  /** Action is running: the button stays in place and ignores presses. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement> | undefined;
  readonly children: ReactNode;
};

/** Button. Disabled and busy buttons stay focusable, so that screen readers read the reason. */
export function Button({
  weight = 'normal',
  size = 'normal',
  off = false,
  busy = false,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass(weight, size)}
      aria-disabled={off || busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (off || busy) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

/** Class of elements that look like a button. */
export const buttonClass = (weight: Weight = 'normal', size: Size = 'normal'): string =>
  [styles.button, styles[weight], styles[`size-${size}`]].filter(Boolean).join(' ');

type RowButtonProps = {
  readonly label: string;
  readonly press: () => void;
  readonly busy?: boolean;
  readonly children: string;
};

/** Small button in a row of a table; `label` names the row too. */
export function RowButton({ label, press, busy = false, children }: RowButtonProps) {
  return (
    <Button size="small" busy={busy} aria-label={label} onClick={press}>
      {children}
    </Button>
  );
}

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label' | 'className'> & {
  readonly label: string;
  readonly children: ReactNode;
};

/** Icon button; `label` is its accessible name. */
export function IconButton({ label, children, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} className={styles.icon} aria-label={label}>
      {children}
    </button>
  );
}

/** Class of elements that look like a chip. */
export const chipClass = (): string | undefined => styles.chip;

type ChipProps = { readonly pressed: boolean; readonly children: ReactNode; readonly onPress: () => void };

/** Switch in a row of filters. */
export function Chip({ pressed, children, onPress }: ChipProps) {
  return (
    <button type="button" className={styles.chip} aria-pressed={pressed} onClick={onPress}>
      {children}
    </button>
  );
}
