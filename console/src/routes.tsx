import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { shares } from './lib/canary-steps.ts';
import { CUSTODY_LINKS } from './lib/custody-links.ts';
import { ESTATE_STATES, GATES, RELEASE_STATUSES, STRATEGIES } from './lib/enums.ts';
import { t } from './lib/i18n.ts';
import { SEARCH_DOMAINS, SEARCH_SEVERITIES, urlSpelling } from './lib/search-filters.ts';
import { TARGET_FILTERS } from './lib/target-counts.ts';
import { flag, integer, oneOf, type Param, type Search, someOf, text, type View, view } from './lib/url-state.ts';
import { Layout } from './shell/Layout.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';
import { PageError } from './shell/PageError.tsx';
import { toast } from './ui/Toast.tsx';

/** Search parameters of a route; invalid ones are dropped with a notice. */
const validated =
  <T extends object>(read: (raw: Readonly<Record<string, unknown>>) => View<T>) =>
  (raw: Readonly<Record<string, unknown>>): Search<T> => {
    const { search, unread } = read(raw);
    // Routes are matched while React renders: the notice waits until it is done.
    if (unread.length > 0) queueMicrotask(() => toast(t('url.unread', { names: unread.join(', ') })));
    return search;
  };

const root = createRootRoute({ component: Layout, notFoundComponent: NotFoundPage });

/** Page in the layout, with its code loaded on demand. */
const page = <
  const Path extends string,
  Name extends string,
  Code extends Record<Name, RouteComponent>,
  T extends object,
>(
  path: Path,
  load: () => Promise<Code>,
  name: Name,
  params: { readonly [K in keyof T]: Param<T[K]> },
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: validated(view<T>(params)),
    component: lazyRouteComponent(load, name),
  });

export const router = createRouter({
  routeTree: root.addChildren([
    page('/', () => import('./features/today/TodayPage.tsx'), 'TodayPage', {}),
    page('/inbox', () => import('./features/inbox/InboxPage.tsx'), 'InboxPage', { item: text }),
    page('/releases', () => import('./features/releases/ReleasesPage.tsx'), 'ReleasesPage', {
      status: oneOf(RELEASE_STATUSES),
      name: text,
      after: text,
    }),
    page('/releases/$id', () => import('./features/releases/ReleasePage.tsx'), 'ReleasePage', {}),
    page('/releases/$id/deploy', () => import('./features/deploy/DeployPage.tsx'), 'DeployPage', {
      env: text,
      strategy: oneOf(STRATEGIES),
      batch: integer(1, 100),
      steps: shares,
      gate: oneOf(GATES),
    }),
    page('/deployments', () => import('./features/deployments/DeploymentsPage.tsx'), 'DeploymentsPage', {
      status: oneOf([
        'QUEUED',
        'PREFLIGHT',
        'PLANNING',
        'IN_PROGRESS',
        'PAUSED',
        'VERIFYING',
        'COMPLETED',
        'FAILED',
        'CANCELLING',
        'CANCELLED',
        'ROLLBACK_IN_PROGRESS',
        'ROLLED_BACK',
        'ROLLBACK_FAILED',
      ] as const),
      env: text,
      after: text,
    }),
    page('/deployments/$id', () => import('./features/deployments/DeploymentPage.tsx'), 'DeploymentPage', {
      target: text,
      only: oneOf(TARGET_FILTERS),
      ask: oneOf(['halt', 'cancel', 'rollback', 'retry'] as const),
    }),
    page('/environments', () => import('./features/environments/EnvironmentsPage.tsx'), 'EnvironmentsPage', {
      ask: oneOf(['create'] as const),
    }),
    page('/environments/$id', () => import('./features/environments/EnvironmentPage.tsx'), 'EnvironmentPage', {
      target: text,
      ask: oneOf(['rollback', 'edit', 'target', 'variables'] as const),
    }),
    page('/estate', () => import('./features/estate/EstatePage.tsx'), 'EstatePage', {
      state: oneOf(ESTATE_STATES),
      env: text,
      component: text,
      after: text,
    }),
    page('/estate/$digest', () => import('./features/estate/DigestPage.tsx'), 'DigestPage', {}),
    page('/custody', () => import('./features/custody/CustodyListPage.tsx'), 'CustodyListPage', {
      status: oneOf(RELEASE_STATUSES),
      name: text,
      after: text,
    }),
    page('/custody/$releaseId', () => import('./features/custody/CustodyPage.tsx'), 'CustodyPage', {
      link: oneOf(CUSTODY_LINKS),
      statement: text,
    }),
    page('/agents', () => import('./features/agents/AgentsPage.tsx'), 'AgentsPage', {}),
    page('/agents/$id', () => import('./features/agents/AgentPage.tsx'), 'AgentPage', {
      ask: oneOf(['revoke'] as const),
    }),
    page('/integrations', () => import('./features/integrations/IntegrationsPage.tsx'), 'IntegrationsPage', {
      ask: oneOf(['integration', 'provider', 'secret', 'signer', 'image'] as const),
    }),
    page('/access', () => import('./features/access/PeoplePage.tsx'), 'PeoplePage', {
      text,
      active: oneOf(['yes', 'no'] as const),
      after: text,
      ask: oneOf(['invite', 'create'] as const),
    }),
    page('/access/people/$id', () => import('./features/access/PersonPage.tsx'), 'PersonPage', {
      ask: oneOf(['edit', 'reset', 'deactivate', 'reactivate'] as const),
    }),
    page('/access/clients', () => import('./features/access/ClientsPage.tsx'), 'ClientsPage', {
      text,
      active: oneOf(['yes', 'no'] as const),
      after: text,
      ask: oneOf(['register'] as const),
    }),
    page('/access/clients/$id', () => import('./features/access/ClientPage.tsx'), 'ClientPage', {
      ask: oneOf(['edit', 'rotate', 'deactivate'] as const),
    }),
    page('/access/groups', () => import('./features/access/GroupsPage.tsx'), 'GroupsPage', {
      after: text,
      ask: oneOf(['create'] as const),
    }),
    page('/access/sign-on', () => import('./features/access/SignOnPage.tsx'), 'SignOnPage', {
      ask: oneOf(['create'] as const),
    }),
    page('/access/sessions', () => import('./features/access/SessionsPage.tsx'), 'SessionsPage', {
      after: text,
      apps: text,
      ended: flag,
    }),
    page('/access/keys', () => import('./features/access/KeysPage.tsx'), 'KeysPage', {}),
    page('/access/registry', () => import('./features/access/RegistryPage.tsx'), 'RegistryPage', {
      scope: text,
      service: text,
      plan: text,
      license: text,
      outcome: oneOf(['ISSUED', 'REFUSED'] as const),
      repository: text,
      subject: text,
      after: text,
    }),
    page('/audit', () => import('./features/audit/AuditPage.tsx'), 'AuditPage', {
      type: text,
      entity: text,
      id: text,
      actor: text,
      from: text,
      to: text,
      correlation: text,
      after: text,
    }),
    page('/search', () => import('./features/search/SearchPage.tsx'), 'SearchPage', {
      q: text,
      domain: someOf(urlSpelling(SEARCH_DOMAINS)),
      severity: someOf(urlSpelling(SEARCH_SEVERITIES)),
      ecosystem: text,
      type: text,
      k: integer(1, 50),
      card: text,
    }),
    page('/search/quality', () => import('./features/search/QualityPage.tsx'), 'QualityPage', {
      period: oneOf(['24h', '7d', '30d'] as const),
      alerts: oneOf(['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'ALL'] as const),
      ask: oneOf(['rebuild', 'import'] as const),
    }),
    page('/settings', () => import('./features/settings/SettingsPage.tsx'), 'SettingsPage', {}),
  ]),
  defaultErrorComponent: PageError,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
