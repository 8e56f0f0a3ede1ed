import { CopyButton } from '../../ui/CopyButton.tsx';
import { CloseFooter } from '../../ui/DialogFooter.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { t } from './labels.ts';
import { OneTimeSecret } from './OneTimeSecret.tsx';

type ClientSecretProps = { readonly id: string; readonly secret: string | null; readonly close: () => void };

/** Client ID and secret, shown once. A client with certificates only has no secret. */
export function ClientSecret({ id, secret, close }: ClientSecretProps) {
  const facts = (
    <Facts look="pairs">
      <Fact label={t('client.id')}>
        <span className="row">
          <span className="code">{id}</span>
          <CopyButton weight="plain" text={id} label={t('client.id.copy')} copied={t('client.id.copied')} />
        </span>
      </Fact>
    </Facts>
  );
  if (secret !== null)
    return (
      <OneTimeSecret what="secret" text={secret} close={close}>
        {facts}
      </OneTimeSecret>
    );
  return (
    <div className="stack">
      <p className="soft">{t('client.noSecret')}</p>
      {facts}
      <CloseFooter label={t('close')} close={close} />
    </div>
  );
}
