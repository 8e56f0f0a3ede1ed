import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type IdentityProviderFactsFragment, IdentityProvidersDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { RowButton } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { ActiveLabel } from './AccountState.tsx';
import { CreateIdentityProvider, type ProviderAction, ProviderDialog } from './IdentityProviderActions.tsx';
import { t } from './labels.ts';
import { ProviderDomains } from './ProviderDomains.tsx';

const route = getRouteApi('/access/sign-on');

/** OpenID Connect providers through which people may sign in. */
export function SignOnPage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  return (
    <AccessLayout
      tab="signOn"
      actions={[
        { id: 'idp.create', keys: 'c', title: t('idp.create'), weight: 'primary', run: () => set({ ask: 'create' }) },
      ]}
    >
      <Providers />
      {view.ask === 'create' && <CreateIdentityProvider close={() => set({ ask: undefined })} />}
    </AccessLayout>
  );
}

type SelectedAction = { readonly name: ProviderAction; readonly provider: IdentityProviderFactsFragment };

function Providers() {
  const providers = useLiveQuery(IdentityProvidersDocument, {}, ['IdentityProvider']);
  const [dialog, ask] = useState<SelectedAction>();
  return (
    <>
      <QueryResult of={providers} skeleton={<SkeletonRows rows={4} />} fault={t('idps.fault')}>
        {({ identityProviders: all }) =>
          all.length === 0 ? (
            <EmptyState>{t('idps.empty')}</EmptyState>
          ) : (
            all.map((provider) => (
              <Provider key={provider.id} provider={provider} ask={(name) => ask({ name, provider })} />
            ))
          )
        }
      </QueryResult>
      {dialog !== undefined && <ProviderDialog {...dialog} close={() => ask(undefined)} />}
    </>
  );
}

type ProviderProps = {
  readonly provider: IdentityProviderFactsFragment;
  readonly ask: (name: ProviderAction) => void;
};

function Provider({ provider, ask }: ProviderProps) {
  const { name, active, redirectUri } = provider;
  const actions = ['edit', active ? 'disable' : 'enable', 'delete'] as const;
  return (
    <Section
      title={name}
      count={<ActiveLabel active={active} />}
      side={actions.map((verb) => (
        <RowButton key={verb} label={t(`idp.${verb}.of`, { name })} press={() => ask(verb)}>
          {t(`idp.${verb}`)}
        </RowButton>
      ))}
    >
      <div className="stack" style={{ paddingBlock: 12 }}>
        <Facts look="page">
          <Fact label={t('idp.issuer')} code={provider.issuer} />
          <Fact label={t('idp.redirect')}>
            <span className="code">{redirectUri}</span>{' '}
            <CopyButton
              weight="plain"
              text={redirectUri}
              label={t('idp.redirect.copy')}
              copied={t('idp.redirect.copied')}
            />
            <p className="small quiet">{t('idp.redirect.hint')}</p>
          </Fact>
          <Fact label={t('idp.client')} code={provider.clientId} />
          <Fact label={t('idp.domains')}>
            <ProviderDomains provider={provider} />
          </Fact>
          <Fact label={t('scopes')} code={provider.scopes.join(' ')} />
          <Fact label={t('idp.groups')} code={provider.groupsClaim} />
          <Fact label={t('idp.newPeople')}>{t(provider.createsUsers ? 'idp.newPeople.yes' : 'idp.newPeople.no')}</Fact>
          <Fact label={t('created')} at={provider.createdAt} />
        </Facts>
      </div>
    </Section>
  );
}
