import { SetReleaseSourceWebhookDocument, type SourceRowFragment } from '../../generated/operations.ts';
import { CopyOnce } from '../../parts/CopyOnce.tsx';
import { RowAction } from '../../parts/RowAction.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { t } from './source-labels.ts';

/** Registries whose webhooks are understood. */
const REGISTRIES = ['DOCKER', 'HARBOR', 'GITHUB', 'GITLAB', 'QUAY'] as const;

/** Address of a path of the platform, which serves the console too. */
const urlOf = (path: string): string => new URL(path, location.origin).href;

type SourceProps = { readonly source: SourceRowFragment };

/** Gives a source a webhook, or its webhook a new secret. Neither is shown again. */
export function SetWebhook({ source: { id, component, version, hasWebhook } }: SourceProps) {
  return (
    <RowAction
      label={t('webhook.open.name', { component })}
      document={SetReleaseSourceWebhookDocument}
      input={{ id, expectedVersion: version, isEnabled: true }}
      title={t('webhook.title', { component })}
      lead={hasWebhook ? t('webhook.renew') : t('webhook.lead')}
      verb={t(hasWebhook ? 'webhook.verb.renew' : 'webhook.verb')}
      shown={({ setReleaseSourceWebhook: { path, secret } }, close) => (
        <CreatedWebhook url={urlOf(path)} secret={secret ?? ''} close={close} />
      )}
    >
      {t('webhook.open')}
    </RowAction>
  );
}

export function RemoveWebhook({ source: { id, component, version } }: SourceProps) {
  return (
    <RowAction
      label={t('webhook.remove.name', { component })}
      document={SetReleaseSourceWebhookDocument}
      input={{ id, expectedVersion: version, isEnabled: false }}
      title={t('webhook.remove.title', { component })}
      lead={t('webhook.remove.lead')}
      verb={t('webhook.remove.verb')}
      done={t('webhook.removed', { component })}
    >
      {t('webhook.remove')}
    </RowAction>
  );
}

type CreatedWebhookProps = { readonly url: string; readonly secret: string; readonly close: () => void };

/** URL and secret of a webhook, and where each registry takes them. */
const CreatedWebhook = ({ url, secret, close }: CreatedWebhookProps) => (
  <CopyOnce
    title={t('webhook.secret.once')}
    values={[
      {
        label: t('webhook.url'),
        lead: t('webhook.url'),
        text: url,
        copy: t('webhook.url.copy'),
        copied: t('webhook.url.copied'),
      },
      {
        label: t('webhook.secret'),
        lead: t('webhook.secret'),
        text: secret,
        copy: t('webhook.secret.copy'),
        copied: t('webhook.secret.copied'),
      },
    ]}
    close={close}
  >
    <section aria-label={t('webhook.registries')}>
      <Facts look="pairs">
        {REGISTRIES.map((registry) => (
          <Fact key={registry} label={t(`webhook.${registry}`)}>
            {t(`webhook.${registry}.steps`)}
          </Fact>
        ))}
      </Facts>
    </section>
  </CopyOnce>
);
