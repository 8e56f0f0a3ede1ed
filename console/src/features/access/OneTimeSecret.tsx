import type { ReactNode } from 'react';
import { CopyOnce } from '../../parts/CopyOnce.tsx';
import { t } from './labels.ts';

type OneTimeSecretProps = {
  readonly what: 'link' | 'secret';
  readonly text: string;
  readonly expiresAt?: string;
  readonly close: () => void;
  readonly children?: ReactNode;
};

/** Link or a secret that is shown once. */
export const OneTimeSecret = ({ what: name, text, expiresAt, close, children }: OneTimeSecretProps) => (
  <CopyOnce
    title={t(`oneTimeSecret.${name}.once`)}
    expires={expiresAt === undefined ? undefined : { label: t('oneTimeSecret.expires'), at: expiresAt }}
    values={[
      {
        label: t(`oneTimeSecret.${name}`),
        text,
        copy: t(`oneTimeSecret.${name}.copy`),
        copied: t(`oneTimeSecret.${name}.copied`),
      },
    ]}
    close={close}
  >
    {children}
  </CopyOnce>
);
