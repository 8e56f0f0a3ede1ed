import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { useCommands } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import { IconButton } from './Button.tsx';
import { Icon } from './Icon.tsx';
import styles from './Panel.module.css';

/** Page with a side panel at its inline end; without one the page has the width. */
export function Split({ panel, children }: { readonly panel: ReactNode | undefined; readonly children: ReactNode }) {
  return (
    <div className={panel === undefined ? undefined : styles.split}>
      <div>{children}</div>
      {panel}
    </div>
  );
}

type PanelProps = {
  readonly title: string;
  readonly subject: string;
  /** Whether the user opened it, so that it takes the focus. */
  readonly receivesFocus?: boolean;
  readonly close: () => void;
  /** Shows the previous or the next entity. */
  readonly step?: (by: 1 | -1) => void;
  readonly children: ReactNode;
};

/** Panel of one entity beside the page; its title gets the focus when `subject` changes, and closing returns it. */
export function Panel({ title, subject, receivesFocus = true, close, step, children }: PanelProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef<Element>(null);
  // Before the panel is painted: a key that is pressed as soon as it is seen is pressed in it.
  useLayoutEffect(() => {
    before.current = document.activeElement;
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another subject is why the focus moves.
  useLayoutEffect(() => {
    if (receivesFocus) heading.current?.focus({ preventScroll: true });
  }, [subject]);
  useEffect(
    () => () => {
      const { current } = before;
      if (current instanceof HTMLElement && current.isConnected) current.focus();
    },
    [],
  );
  useCommands([{ id: 'panel.close', group: 'move', keys: 'Escape', title: t('panel.close'), run: close }]);

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: pressing beside a sheet closes it; Escape does the same. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key. */}
      <div className={styles.scrim} onClick={close} />
      <aside className={styles.panel} aria-labelledby={id}>
        <div className={styles.head}>
          <h2 id={id} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {step !== undefined && (
            <>
              <IconButton label={t('panel.previous')} onClick={() => step(-1)}>
                <Icon name="up" />
              </IconButton>
              <IconButton label={t('panel.next.target')} onClick={() => step(1)}>
                <Icon name="down" />
              </IconButton>
            </>
          )}
          <IconButton label={t('panel.close')} onClick={close}>
            <Icon name="close" />
          </IconButton>
        </div>
        {children}
      </aside>
    </>
  );
}

export function PanelPart({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <section className={styles.part}>
      {title !== undefined && <h3>{title}</h3>}
      {children}
    </section>
  );
}
