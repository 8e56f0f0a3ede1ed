import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ClientDocument, type ClientFactsFragment } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { AdministratorOnly } from './AccessLayout.tsx';
import { ActiveLabel } from './AccountState.tsx';
import { type ClientAction, ClientDialog } from './ClientActions.tsx';
import { RULES } from './client-input.ts';
import { t } from './labels.ts';
import { scopesByModule } from './roles.ts';
import { TokenFamilies } from './TokenFamilies.tsx';

const route = getRouteApi('/access/clients/$id');

/** Page of a client: its scopes, its authentication, and the sessions through it. */
export function ClientPage() {
  return (
    <AdministratorOnly>
      <ClientContent />
    </AdministratorOnly>
  );
}

function ClientContent() {
  const { id } = route.useParams();
  const answer = useLiveQuery(ClientDocument, { id });
  return (
    <EntityPage of={answer} entity={(data) => data.client} fault={t('client.fault')} gone={t('client.notFound')}>
      {(client) => <Page client={client} />}
    </EntityPage>
  );
}

function Page({ client }: { readonly client: ClientFactsFragment }) {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const { ask } = view;
  const usesSecret = client.authMethods.some((method) => method.startsWith('CLIENT_SECRET'));
  const actions: readonly ClientAction[] = client.active
    ? ['edit', ...(usesSecret ? (['rotate'] as const) : []), 'deactivate']
    : [];
  return (
    <>
      <PageHead
        crumbs={[
          { path: '/access', label: t('access.title') },
          { path: '/access/clients', label: t('tab.clients') },
        ]}
        title={client.name}
        state={<ActiveLabel {...client} />}
        actions={actions.map((name) => ({
          id: `client.${name}`,
          title: t(`client.${name}`),
          ...(name === 'edit' && { keys: 'e' }),
          run: () => set({ ask: name }),
        }))}
      >
        {t(client.active ? 'client.lead' : 'client.lead.stopped')}
      </PageHead>
      <About client={client} />
      <Scopes scopes={client.scopes} />
      <TokenFamilies clientId={client.id} />
      {ask !== undefined && actions.includes(ask) && (
        <ClientDialog name={ask} client={client} close={() => set({ ask: undefined })} />
      )}
    </>
  );
}

function About({ client }: { readonly client: ClientFactsFragment }) {
  const { id, grants, authMethods, plan, secretCount, createdAt, createdBy } = client;
  const rules = RULES.filter((rule) => client[rule]).map((rule) => t(`rule.${rule}`));
  return (
    <Section title={t('facts')}>
      <div className="stack" style={{ paddingBlock: 12 }}>
        <Facts look="page">
          <Fact label={t('client.id')} code={id} />
          <Fact label={t('client.grants')}>{grants.map((grant) => t(`grant.${grant}`)).join(', ')}</Fact>
          <Fact label={t('client.methods')}>{authMethods.map((method) => t(`method.${method}`)).join(', ')}</Fact>
          <Fact label={t('client.secrets')}>{t('client.secrets.n', { n: secretCount })}</Fact>
          <Certificates client={client} />
          <Lines label={t('client.redirects')} lines={client.redirectUris} />
          <Lines label={t('client.postLogoutRedirects')} lines={client.postLogoutRedirectUris} />
          <Lines label={t('client.origins')} lines={client.allowedOrigins} />
          <Lines label={t('client.resources')} lines={client.resources} />
          <Fact label={t('client.rules')}>{rules.join(', ') || t('none')}</Fact>
          <Fact label={t('client.plan')}>
            <p>
              {plan ?? t('client.plan.tenant')} ·{' '}
              <Link to="/access/registry" search={{ ...(plan !== null && { plan }) }}>
                {t('client.plan.simulate')}
              </Link>
            </p>
          </Fact>
          <Fact label={t('created')}>
            <Time at={createdAt} />
            {createdBy && t('client.created.by', { name: createdBy.displayName })}
          </Fact>
          <Fact label={t('auditTrail')}>
            <Link to="/audit" search={{ actor: id }}>
              {t('auditTrail.actions.client')}
            </Link>{' '}
            ·{' '}
            <Link to="/audit" search={{ entity: 'Client', id }}>
              {t('auditTrail.changes.client')}
            </Link>
          </Fact>
        </Facts>
      </div>
    </Section>
  );
}

function Certificates({ client: { tlsSubject, certificateThumbprints } }: { readonly client: ClientFactsFragment }) {
  return (
    <>
      {tlsSubject !== null && (
        <Fact label={t('client.subject')}>
          {t(`subject.${tlsSubject.kind}`)} <span className="code">{tlsSubject.value}</span>
        </Fact>
      )}
      <Lines label={t('client.thumbprints')} lines={certificateThumbprints} />
    </>
  );
}

function Lines({ label, lines }: { readonly label: string; readonly lines: readonly string[] }): ReactNode {
  if (lines.length === 0) return null;
  return (
    <Fact label={label}>
      {lines.map((line) => (
        <p key={line} className="code">
          {line}
        </p>
      ))}
    </Fact>
  );
}

function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
  return (
    <Section title={t('scopes')} count={scopes.length}>
      <div className="stack" style={{ paddingBlock: 12 }}>
        <Facts look="page">
          {[...scopesByModule(scopes)].map(([name, own]) => (
            <Fact key={name} label={name === '' ? t('scopes.personal') : name} code={own.join(' ')} />
          ))}
        </Facts>
      </div>
    </Section>
  );
}
