import type { ReactNode } from 'react';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { copy } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** Something that is on this page and nowhere else; closing forgets it. */
export function OneTimeSecret({
  what,
  text,
  expiresAt,
  close,
  children,
}: {
  readonly what: 'link' | 'secret';
  readonly text: string;
  readonly expiresAt?: string;
  readonly close: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <div className="stack">
      <Banner tone="attention" title={t(`shown.${what}.once`)}>
        {expiresAt !== undefined && (
          <span>
            {t('shown.expires')} <RelativeTime at={expiresAt} as="relative" />
          </span>
        )}
      </Banner>
      {children}
      <CodeBlock label={t(`shown.${what}`)} text={text} wrap />
      <DialogFoot>
        <Button onClick={() => copy(text, t(`shown.${what}.copied`))}>{t(`shown.${what}.copy`)}</Button>
        <Button weight="primary" onClick={close}>
          {t('close')}
        </Button>
      </DialogFoot>
    </div>
  );
}
