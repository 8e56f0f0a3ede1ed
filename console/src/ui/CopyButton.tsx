import { Button, type Size, type Weight } from './Button.tsx';
import { Icon } from './Icon.tsx';
import { copy } from './Toast.tsx';

type CopyButtonProps = {
  readonly text: string;
  readonly label: string;
  /** Text of the toast. */
  readonly copied: string;
  readonly icon?: boolean;
  readonly size?: Size;
  readonly weight?: Weight;
};

export const CopyButton = ({ text, label, copied, icon = false, size = 'small', weight }: CopyButtonProps) => (
  <Button size={size} weight={weight} onClick={() => copy(text, copied)}>
    {icon && <Icon name="copy" size={14} />}
    {label}
  </Button>
);
