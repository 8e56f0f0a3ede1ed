import { getRouteApi } from '@tanstack/react-router';
import { IntegrationsDocument, type IntegrationsQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import { TicketRules } from '../../parts/TicketRules.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
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

type Ask = 'integration' | 'provider' | 'secret' | 'signer' | 'image' | 'tickets';

const OPERATIONS = [
  ['integration', 'n'],
  ['provider', 'p'],
  ['secret', 's'],
  ['signer', 't'],
] as const satisfies readonly (readonly [Ask, string])[];

export function IntegrationsPage() {
  const integrations = useLiveQuery(IntegrationsDocument, {}, ['Integration', 'SecretProvider', 'Secret']);
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const { ask } = view;
  const asking = (next: Ask | undefined) => set({ ask: next });
  const administers = hasScope('orch:admin');
  useCommands(
    [...(administers ? OPERATIONS : []), ['image', 'i'] as const].map(([name, keys]) => ({
      id: `create.${name}`,
      keys,
      title: t(`${name}.create`),
      run: () => asking(name),
    })),
  );
  const close = () => asking(undefined);
  return (
    <>
      <PageHead title={t('integrations.title')}>{t('integrations.lead')}</PageHead>
      <QueryResult of={integrations} skeleton={<SkeletonRows rows={6} />} fault={t('integrations.fault')}>
        {(data) => <Parts data={data} ask={asking} />}
      </QueryResult>
      <TrustedSigners ask={asking} administers={administers} />
      <TicketRules isAsked={ask === 'tickets'} ask={asking} />
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

type PartsProps = { readonly data: IntegrationsQuery; readonly ask: (what: Ask) => void };

const Parts = ({ data: { integrations, secretProviders, secrets }, ask }: PartsProps) => (
  <>
    <IntegrationTable parties={integrations} ask={() => ask('integration')} />
    <SecretProviderTable providers={secretProviders} ask={() => ask('provider')} />
    <Secrets secrets={secrets} ask={() => ask('secret')} />
  </>
);
