import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { shares } from './lib/canary-steps.ts';
import { CUSTODY_LINKS } from './lib/custody-links.ts';
import { t } from './lib/i18n.ts';
import { SEARCH_DOMAINS, SEARCH_SEVERITIES } from './lib/search-filters.ts';
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

const root = createRootRoute({
  component: Layout,
  notFoundComponent: NotFoundPage,
});

/** Page in the layout, with its code loaded on demand. */
const page = <const Path extends string, T extends object>(
  path: Path,
  component: RouteComponent,
  params: { readonly [K in keyof T]: Param<T[K]> },
) => createRoute({ getParentRoute: () => root, path, validateSearch: validated(view<T>(params)), component });

const RELEASE_STATUSES = ['DRAFT', 'FINALIZED', 'READY', 'DEPRECATED'] as const;

const today = page(
  '/',
  lazyRouteComponent(() => import('./features/today/TodayPage.tsx'), 'TodayPage'),
  {},
);

const inbox = page(
  '/inbox',
  lazyRouteComponent(() => import('./features/inbox/InboxPage.tsx'), 'InboxPage'),
  { item: text },
);

const releases = page(
  '/releases',
  lazyRouteComponent(() => import('./features/releases/ReleasesPage.tsx'), 'ReleasesPage'),
  { status: oneOf(RELEASE_STATUSES), name: text, after: text },
);

const release = page(
  '/releases/$id',
  lazyRouteComponent(() => import('./features/releases/ReleasePage.tsx'), 'ReleasePage'),
  {},
);

const deploy = page(
  '/releases/$id/deploy',
  lazyRouteComponent(() => import('./features/deploy/DeployPage.tsx'), 'DeployPage'),
  {
    env: text,
    strategy: oneOf(['ALL_AT_ONCE', 'ROLLING', 'CANARY', 'BLUE_GREEN'] as const),
    batch: integer(1, 100),
    steps: shares,
    gate: oneOf(['MANUAL', 'ANALYSIS', 'NONE'] as const),
  },
);

const deployments = page(
  '/deployments',
  lazyRouteComponent(() => import('./features/deployments/DeploymentsPage.tsx'), 'DeploymentsPage'),
  {
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
  },
);

const deployment = page(
  '/deployments/$id',
  lazyRouteComponent(() => import('./features/deployments/DeploymentPage.tsx'), 'DeploymentPage'),
  { target: text, only: oneOf(TARGET_FILTERS), ask: oneOf(['halt', 'cancel', 'rollback', 'retry'] as const) },
);

const environments = page(
  '/environments',
  lazyRouteComponent(() => import('./features/environments/EnvironmentsPage.tsx'), 'EnvironmentsPage'),
  { ask: oneOf(['create'] as const) },
);

const environment = page(
  '/environments/$id',
  lazyRouteComponent(() => import('./features/environments/EnvironmentPage.tsx'), 'EnvironmentPage'),
  { target: text, ask: oneOf(['rollback', 'edit', 'target', 'variables'] as const) },
);

const estate = page(
  '/estate',
  lazyRouteComponent(() => import('./features/estate/EstatePage.tsx'), 'EstatePage'),
  { state: oneOf(['UNOBSERVED', 'DRIFT', 'IN_SYNC'] as const), env: text, component: text, after: text },
);

const digest = page(
  '/estate/$digest',
  lazyRouteComponent(() => import('./features/estate/DigestPage.tsx'), 'DigestPage'),
  {},
);

const custodies = page(
  '/custody',
  lazyRouteComponent(() => import('./features/custody/CustodyListPage.tsx'), 'CustodyListPage'),
  { status: oneOf(RELEASE_STATUSES), name: text, after: text },
);

const chain = page(
  '/custody/$releaseId',
  lazyRouteComponent(() => import('./features/custody/CustodyPage.tsx'), 'CustodyPage'),
  { link: oneOf(CUSTODY_LINKS), statement: text },
);

const agents = page(
  '/agents',
  lazyRouteComponent(() => import('./features/agents/AgentsPage.tsx'), 'AgentsPage'),
  {},
);

const agent = page(
  '/agents/$id',
  lazyRouteComponent(() => import('./features/agents/AgentPage.tsx'), 'AgentPage'),
  { ask: oneOf(['revoke'] as const) },
);

const integrations = page(
  '/integrations',
  lazyRouteComponent(() => import('./features/integrations/IntegrationsPage.tsx'), 'IntegrationsPage'),
  { ask: oneOf(['integration', 'provider', 'secret', 'signer', 'image'] as const) },
);

const people = page(
  '/access',
  lazyRouteComponent(() => import('./features/access/PeoplePage.tsx'), 'PeoplePage'),
  { text, active: oneOf(['yes', 'no'] as const), after: text, ask: oneOf(['invite', 'create'] as const) },
);

const person = page(
  '/access/people/$id',
  lazyRouteComponent(() => import('./features/access/PersonPage.tsx'), 'PersonPage'),
  { ask: oneOf(['edit', 'reset', 'deactivate', 'reactivate'] as const) },
);

const clients = page(
  '/access/clients',
  lazyRouteComponent(() => import('./features/access/ClientsPage.tsx'), 'ClientsPage'),
  { text, active: oneOf(['yes', 'no'] as const), after: text, ask: oneOf(['register'] as const) },
);

const oauthClient = page(
  '/access/clients/$id',
  lazyRouteComponent(() => import('./features/access/ClientPage.tsx'), 'ClientPage'),
  { ask: oneOf(['edit', 'rotate', 'deactivate'] as const) },
);

const groups = page(
  '/access/groups',
  lazyRouteComponent(() => import('./features/access/GroupsPage.tsx'), 'GroupsPage'),
  { after: text, ask: oneOf(['create'] as const) },
);

const signOn = page(
  '/access/sign-on',
  lazyRouteComponent(() => import('./features/access/SignOnPage.tsx'), 'SignOnPage'),
  { ask: oneOf(['create'] as const) },
);

const sessions = page(
  '/access/sessions',
  lazyRouteComponent(() => import('./features/access/SessionsPage.tsx'), 'SessionsPage'),
  { after: text, apps: text, ended: flag },
);

const keys = page(
  '/access/keys',
  lazyRouteComponent(() => import('./features/access/KeysPage.tsx'), 'KeysPage'),
  {},
);

const registry = page(
  '/access/registry',
  lazyRouteComponent(() => import('./features/access/RegistryPage.tsx'), 'RegistryPage'),
  {
    scope: text,
    service: text,
    plan: text,
    license: text,
    outcome: oneOf(['ISSUED', 'REFUSED'] as const),
    repository: text,
    subject: text,
    after: text,
  },
);

const audit = page(
  '/audit',
  lazyRouteComponent(() => import('./features/audit/AuditPage.tsx'), 'AuditPage'),
  { type: text, entity: text, id: text, actor: text, from: text, to: text, correlation: text, after: text },
);

const search = page(
  '/search',
  lazyRouteComponent(() => import('./features/search/SearchPage.tsx'), 'SearchPage'),
  {
    q: text,
    domain: someOf(SEARCH_DOMAINS),
    severity: someOf(SEARCH_SEVERITIES),
    ecosystem: text,
    type: text,
    k: integer(1, 50),
    card: text,
  },
);

const quality = page(
  '/search/quality',
  lazyRouteComponent(() => import('./features/search/QualityPage.tsx'), 'QualityPage'),
  {
    period: oneOf(['24h', '7d', '30d'] as const),
    alerts: oneOf(['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'ALL'] as const),
    ask: oneOf(['rebuild', 'import'] as const),
  },
);

const settings = page(
  '/settings',
  lazyRouteComponent(() => import('./features/settings/SettingsPage.tsx'), 'SettingsPage'),
  {},
);

export const router = createRouter({
  routeTree: root.addChildren([
    today,
    inbox,
    releases,
    release,
    deploy,
    deployments,
    deployment,
    environments,
    environment,
    estate,
    digest,
    custodies,
    chain,
    agents,
    agent,
    integrations,
    people,
    person,
    clients,
    oauthClient,
    groups,
    signOn,
    sessions,
    keys,
    registry,
    audit,
    search,
    quality,
    settings,
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
