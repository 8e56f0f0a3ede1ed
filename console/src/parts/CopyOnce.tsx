import type { ReactNode } from 'react';
import { t } from '../lib/i18n.ts';
import { Banner } from '../ui/Banner.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { CloseFooter } from '../ui/DialogFooter.tsx';
import { RelativeTime } from '../ui/Time.tsx';

type CopiedValue = {
  readonly label: string;
  readonly text: string;
  readonly copy: string;
  readonly copied: string;
  readonly lead?: string;
};

type CopyOnceProps = {
  readonly title: string;
  readonly expires?: { readonly label: string; readonly at: string } | undefined;
  readonly values: readonly CopiedValue[];
  readonly close: () => void;
  readonly children?: ReactNode;
};

/** Content of a dialog with values that are shown once, with a button that copies each. */
export const CopyOnce = ({ title, expires, values, close, children }: CopyOnceProps) => (
  <div className="stack">
    <Banner tone="attention" title={title}>
      {expires && (
        <span>
          {expires.label} <RelativeTime at={expires.at} as="relative" />
        </span>
      )}
    </Banner>
    {children}
    {values.map(({ label, text, lead }) => (
      <div key={label} className="stack">
        {lead && <p className="soft">{lead}</p>}
        <CodeBlock label={label} text={text} wrap />
      </div>
    ))}
    <CloseFooter label={t('close')} close={close}>
      {values.map(({ text, copy, copied }) => (
        <CopyButton key={copy} size="normal" text={text} label={copy} copied={copied} />
      ))}
    </CloseFooter>
  </div>
);
