import { Button } from '../../ui/Button.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { copy } from '../../ui/Toast.tsx';
import { t } from './labels.ts';
import { OneTimeSecret } from './OneTimeSecret.tsx';

/** Client ID and secret, shown once. A client with certificates only has no secret. */
export function ClientSecret({
  id,
  secret,
  close,
}: {
  readonly id: string;
  readonly secret: string | null;
  readonly close: () => void;
}) {
  const facts = (
    <Facts look="pairs">
      <Fact label={t('client.id')}>
        <span className="row">
          <span className="code">{id}</span>
          <Button size="small" weight="plain" onClick={() => copy(id, t('client.id.copied'))}>
            {t('client.id.copy')}
          </Button>
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
      <DialogFoot>
        <Button weight="primary" onClick={close}>
          {t('close')}
        </Button>
      </DialogFoot>
    </div>
  );
}
