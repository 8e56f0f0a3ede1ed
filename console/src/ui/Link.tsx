import { createLink, useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent, Ref } from 'react';
import { buttonClass, chipClass, type Size, type Weight } from './Button.tsx';
import styles from './Link.module.css';

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> };

/** `text` is a link inside a sentence; `name` is an entity's name, ink until hovered; `bare` has no look. */
type TextProps = AnchorProps & { readonly look?: 'text' | 'name' | 'bare' };

function TextAnchor({ look = 'text', className, ...rest }: TextProps) {
  return <a {...rest} className={[styles[look], className].filter(Boolean).join(' ')} />;
}

function ButtonAnchor({ weight, size, ...rest }: AnchorProps & { readonly weight?: Weight; readonly size?: Size }) {
  return <a {...rest} className={buttonClass(weight, size)} />;
}

/** Link to another page of the console. */
export const Link = createLink(TextAnchor);

/** Link to another page among buttons. */
export const LinkButton = createLink(ButtonAnchor);

function ChipAnchor(props: AnchorProps) {
  return <a {...props} className={chipClass()} />;
}

/** Link to another part of the same page; the current one is marked. */
export const ChipLink = createLink(ChipAnchor);

type PathLinkProps = Omit<AnchorProps, 'href' | 'onClick'> & {
  readonly path: string;
  /** Called before the page is left. */
  readonly go?: () => void;
  readonly look?: NonNullable<TextProps['look']> | 'button';
  readonly weight?: Weight;
  readonly size?: Size;
};

/** Link to a path of the console that comes from data. */
export function PathLink({ path, go, look = 'text', weight, size, ...rest }: PathLinkProps) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    go?.();
    // Another tab is the browser's to open.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    router.history.push(path);
  };
  const className = look === 'button' ? buttonClass(weight, size) : styles[look];
  return <a {...rest} className={className} href={path} onClick={follow} />;
}
