import { CopyOnce } from '../../parts/CopyOnce.tsx';
import { t } from './labels.ts';

type ChannelSecretProps = {
  readonly secret: string;
  /** Time until which the replaced secret signs too. */
  readonly oldExpiresAt?: string;
  readonly close: () => void;
};

/** Secret of a webhook, which is shown once. */
export const ChannelSecret = ({ secret, oldExpiresAt, close }: ChannelSecretProps) => (
  <CopyOnce
    title={t('secret.once')}
    expires={oldExpiresAt === undefined ? undefined : { label: t('secret.oldExpires'), at: oldExpiresAt }}
    values={[
      {
        label: t('secret.secret'),
        text: secret,
        copy: t('secret.copy'),
        copied: t('secret.copied'),
        lead: t('secret.once.lead'),
      },
    ]}
    close={close}
  />
);
