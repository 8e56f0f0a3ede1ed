import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type IdentityProviderFactsFragment, IdentityProvidersDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { Button } from '../../ui/Button.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { copy } from '../../ui/Toast.tsx';
import { AccessLayout, isAdministrator } from './AccessLayout.tsx';
import { ActiveLabel } from './AccountState.tsx';
import { CreateIdentityProvider, type ProviderAction, ProviderDialog } from './IdentityProviderActions.tsx';
import { t } from './labels.ts';
import { ProviderDomains } from './ProviderDomains.tsx';

const route = getRouteApi('/access/sign-on');

/** The OpenID Connect providers that people may come through. */
export function SignOnPage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: 'create' | undefined) =>
    void navigate({ search: { ask: next }, replace: true, resetScroll: false });
  useCommands(
    isAdministrator()
      ? [{ id: 'idp.create', group: 'act', keys: 'c', title: t('idp.create'), run: () => asking('create') }]
      : [],
  );
  return (
    <AccessLayout
      tab="signOn"
      verbs={
        <Button weight="primary" onClick={() => asking('create')}>
          {t('idp.create')}
        </Button>
      }
    >
      <Providers />
      {ask === 'create' && <CreateIdentityProvider close={() => asking(undefined)} />}
    </AccessLayout>
  );
}

type Asked = { readonly name: ProviderAction; readonly provider: IdentityProviderFactsFragment };

function Providers() {
  const providers = useLiveQuery(IdentityProvidersDocument, {}, ['IdentityProvider']);
  const [asked, ask] = useState<Asked>();
  return (
    <>
      <QueryResult of={providers} skeleton={<SkeletonRows rows={4} />} fault={t('idps.fault')}>
        {({ identityProviders: all }) =>
          all.length === 0 ? (
            <EmptyState>{t('idps.never')}</EmptyState>
          ) : (
            all.map((provider) => (
              <Provider key={provider.id} provider={provider} ask={(name) => ask({ name, provider })} />
            ))
          )
        }
      </QueryResult>
      {asked !== undefined && <ProviderDialog {...asked} close={() => ask(undefined)} />}
    </>
  );
}

function Provider({
  provider,
  ask,
}: {
  readonly provider: IdentityProviderFactsFragment;
  readonly ask: (name: ProviderAction) => void;
}) {
  const { name, active, redirectUri } = provider;
  const verbs = ['edit', active ? 'disable' : 'enable', 'delete'] as const;
  return (
    <Section
      title={name}
      count={<ActiveLabel active={active} />}
      side={verbs.map((verb) => (
        <Button key={verb} size="small" aria-label={t(`idp.${verb}.of`, { name })} onClick={() => ask(verb)}>
          {t(`idp.${verb}`)}
        </Button>
      ))}
    >
      <div className="stack" style={{ paddingBlock: 12 }}>
        <Facts look="page">
          <Fact label={t('idp.issuer')}>
            <span className="code">{provider.issuer}</span>
          </Fact>
          <Fact label={t('idp.redirect')}>
            <span className="code">{redirectUri}</span>{' '}
            <Button size="small" weight="plain" onClick={() => copy(redirectUri, t('idp.redirect.copied'))}>
              {t('idp.redirect.copy')}
            </Button>
            <p className="small quiet">{t('idp.redirect.hint')}</p>
          </Fact>
          <Fact label={t('idp.client')}>
            <span className="code">{provider.clientId}</span>
          </Fact>
          <Fact label={t('idp.domains')}>
            <ProviderDomains provider={provider} />
          </Fact>
          <Fact label={t('scopes')}>
            <span className="code">{provider.scopes.join(' ')}</span>
          </Fact>
          <Fact label={t('idp.groups')}>
            <span className="code">{provider.groupsClaim}</span>
          </Fact>
          <Fact label={t('idp.strangers')}>{t(provider.createsUsers ? 'idp.strangers.yes' : 'idp.strangers.no')}</Fact>
          <Fact label={t('created')}>
            <Time at={provider.createdAt} />
          </Fact>
        </Facts>
      </div>
    </Section>
  );
}
