import { getRouteApi } from '@tanstack/react-router';
import { IntegrationsDocument, type IntegrationsQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { CheckImage } from './CheckImage.tsx';
import { CreateSigner } from './CreateSigner.tsx';
import { CreateIntegration } from './IntegrationForm.tsx';
import { IntegrationTable } from './IntegrationTable.tsx';
import { t } from './labels.ts';
import { SaveSecret } from './SaveSecret.tsx';
import { CreateProvider } from './SecretProviderForm.tsx';
import { SecretProviderTable } from './SecretProviderTable.tsx';
import { Secrets } from './Secrets.tsx';
import { TrustedSigners } from './TrustedSigners.tsx';

const route = getRouteApi('/integrations');

type Ask = 'integration' | 'provider' | 'secret' | 'signer' | 'image';

const ASKS = [
  ['integration', 'n'],
  ['provider', 'p'],
  ['secret', 's'],
  ['signer', 't'],
] as const satisfies readonly (readonly [Ask, string])[];

/** Integrations: registries, metrics servers, secret providers and trusted signers. */
export function IntegrationsPage() {
  const integrations = useLiveQuery(IntegrationsDocument, {}, ['Integration', 'SecretProvider', 'Secret']);
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: Ask | undefined) => void navigate({ search: { ask: next }, replace: true, resetScroll: false });
  const administers = hasScope('orch:admin');
  useCommands(
    [...(administers ? ASKS : []), ['image', 'i'] as const].map(([what, keys]) => ({
      id: `create.${what}`,
      group: 'act',
      keys,
      title: t(`${what}.create`),
      run: () => asking(what),
    })),
  );
  const close = () => asking(undefined);
  return (
    <>
      <PageHead title={t('integrations.title')}>{t('integrations.lead')}</PageHead>
      <QueryResult of={integrations} skeleton={<SkeletonRows rows={6} />} fault={t('integrations.fault')}>
        {(data) => <Parts data={data} ask={administers ? asking : undefined} />}
      </QueryResult>
      <TrustedSigners ask={asking} administers={administers} />
      {administers && ask === 'signer' && <CreateSigner close={close} />}
      {ask === 'image' && <CheckImage close={close} />}
      {administers && ask === 'integration' && <CreateIntegration close={close} />}
      {administers && ask === 'provider' && <CreateProvider close={close} />}
      {administers && ask === 'secret' && (
        <SaveSecret taken={integrations.data?.secrets.map(({ name }) => name) ?? []} close={close} />
      )}
    </>
  );
}

function Parts({
  data: { integrations, secretProviders, secrets },
  ask,
}: {
  readonly data: IntegrationsQuery;
  /** Undefined where the user may create nothing. */
  readonly ask: ((what: Ask) => void) | undefined;
}) {
  const verb = (what: Ask) =>
    ask === undefined ? (
      <span className="small quiet">{t('admin.rule')}</span>
    ) : (
      <Button size="small" weight="plain" onClick={() => ask(what)}>
        <Icon name="plus" size={14} />
        {t(`${what}.create`)}
      </Button>
    );
  const mayTest = ask !== undefined;
  return (
    <>
      <Section title={t('integrations.parties')} count={count(integrations.length)} side={verb('integration')}>
        {integrations.length === 0 ? (
          <EmptyState>{t('integrations.never')}</EmptyState>
        ) : (
          <IntegrationTable parties={integrations} mayTest={mayTest} />
        )}
      </Section>
      <Section title={t('providers.title')} count={count(secretProviders.length)} side={verb('provider')}>
        {secretProviders.length === 0 ? (
          <EmptyState>{t('providers.never')}</EmptyState>
        ) : (
          <SecretProviderTable providers={secretProviders} mayTest={mayTest} />
        )}
      </Section>
      <Section title={t('secrets.title')} count={count(secrets.length)} side={verb('secret')}>
        {secrets.length === 0 ? <EmptyState>{t('secrets.never')}</EmptyState> : <Secrets secrets={secrets} />}
      </Section>
    </>
  );
}
