import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { shares } from './lib/canary-steps.ts';
import { CUSTODY_LINKS } from './lib/custody-links.ts';
import { t } from './lib/i18n.ts';
import { SEARCH_DOMAINS, SEARCH_SEVERITIES } from './lib/search-filters.ts';
import { TARGET_FILTERS } from './lib/target-counts.ts';
import { flag, integer, oneOf, type Search, someOf, text, type View, view } from './lib/url-state.ts';
import { Layout } from './shell/Layout.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';
import { PageError } from './shell/PageError.tsx';
import { toast } from './ui/Toast.tsx';

/** A route's search parameters; what makes no sense is left out, and the reader is told. */
const validated =
  <T extends object>(read: (raw: Readonly<Record<string, unknown>>) => View<T>) =>
  (raw: Readonly<Record<string, unknown>>): Search<T> => {
    const { search, unread } = read(raw);
    // Routes are matched while React draws: the words wait until it is done.
    if (unread.length > 0) queueMicrotask(() => toast(t('url.unread', { names: unread.join(', ') })));
    return search;
  };

const root = createRootRoute({
  component: Layout,
  notFoundComponent: NotFoundPage,
});

const today = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./features/today/TodayPage.tsx'), 'TodayPage'),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: validated(view({ item: text })),
  component: lazyRouteComponent(() => import('./features/inbox/InboxPage.tsx'), 'InboxPage'),
});

const releases = createRoute({
  getParentRoute: () => root,
  path: '/releases',
  validateSearch: validated(
    view({ status: oneOf(['DRAFT', 'FINALIZED', 'READY', 'DEPRECATED'] as const), name: text, after: text }),
  ),
  component: lazyRouteComponent(() => import('./features/releases/ReleasesPage.tsx'), 'ReleasesPage'),
});

const release = createRoute({
  getParentRoute: () => root,
  path: '/releases/$id',
  component: lazyRouteComponent(() => import('./features/releases/ReleasePage.tsx'), 'ReleasePage'),
});

const deploy = createRoute({
  getParentRoute: () => root,
  path: '/releases/$id/deploy',
  validateSearch: validated(
    view({
      env: text,
      strategy: oneOf(['ALL_AT_ONCE', 'ROLLING', 'CANARY', 'BLUE_GREEN'] as const),
      batch: integer(1, 100),
      steps: shares,
      gate: oneOf(['MANUAL', 'ANALYSIS', 'NONE'] as const),
    }),
  ),
  component: lazyRouteComponent(() => import('./features/deploy/DeployPage.tsx'), 'DeployPage'),
});

const deployments = createRoute({
  getParentRoute: () => root,
  path: '/deployments',
  validateSearch: validated(
    view({
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
  ),
  component: lazyRouteComponent(() => import('./features/deployments/DeploymentsPage.tsx'), 'DeploymentsPage'),
});

const deployment = createRoute({
  getParentRoute: () => root,
  path: '/deployments/$id',
  validateSearch: validated(
    view({ target: text, only: oneOf(TARGET_FILTERS), ask: oneOf(['halt', 'cancel', 'rollback', 'retry'] as const) }),
  ),
  component: lazyRouteComponent(() => import('./features/deployments/DeploymentPage.tsx'), 'DeploymentPage'),
});

const environments = createRoute({
  getParentRoute: () => root,
  path: '/environments',
  validateSearch: validated(view({ ask: oneOf(['create'] as const) })),
  component: lazyRouteComponent(() => import('./features/environments/EnvironmentsPage.tsx'), 'EnvironmentsPage'),
});

const environment = createRoute({
  getParentRoute: () => root,
  path: '/environments/$id',
  validateSearch: validated(view({ target: text, ask: oneOf(['rollback', 'edit', 'target', 'variables'] as const) })),
  component: lazyRouteComponent(() => import('./features/environments/EnvironmentPage.tsx'), 'EnvironmentPage'),
});

const estate = createRoute({
  getParentRoute: () => root,
  path: '/estate',
  validateSearch: validated(
    view({ state: oneOf(['UNOBSERVED', 'DRIFT', 'IN_SYNC'] as const), env: text, component: text, after: text }),
  ),
  component: lazyRouteComponent(() => import('./features/estate/EstatePage.tsx'), 'EstatePage'),
});

const digest = createRoute({
  getParentRoute: () => root,
  path: '/estate/$digest',
  component: lazyRouteComponent(() => import('./features/estate/DigestPage.tsx'), 'DigestPage'),
});

const custodies = createRoute({
  getParentRoute: () => root,
  path: '/custody',
  validateSearch: validated(
    view({ status: oneOf(['DRAFT', 'FINALIZED', 'READY', 'DEPRECATED'] as const), name: text, after: text }),
  ),
  component: lazyRouteComponent(() => import('./features/custody/CustodyListPage.tsx'), 'CustodyListPage'),
});

const chain = createRoute({
  getParentRoute: () => root,
  path: '/custody/$releaseId',
  validateSearch: validated(view({ link: oneOf(CUSTODY_LINKS), statement: text })),
  component: lazyRouteComponent(() => import('./features/custody/CustodyPage.tsx'), 'CustodyPage'),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => import('./features/agents/AgentsPage.tsx'), 'AgentsPage'),
});

const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$id',
  validateSearch: validated(view({ ask: oneOf(['revoke'] as const) })),
  component: lazyRouteComponent(() => import('./features/agents/AgentPage.tsx'), 'AgentPage'),
});

const integrations = createRoute({
  getParentRoute: () => root,
  path: '/integrations',
  validateSearch: validated(view({ ask: oneOf(['integration', 'provider', 'secret', 'signer', 'image'] as const) })),
  component: lazyRouteComponent(() => import('./features/integrations/IntegrationsPage.tsx'), 'IntegrationsPage'),
});

const people = createRoute({
  getParentRoute: () => root,
  path: '/access',
  validateSearch: validated(
    view({ text, active: oneOf(['yes', 'no'] as const), after: text, ask: oneOf(['invite', 'create'] as const) }),
  ),
  component: lazyRouteComponent(() => import('./features/access/PeoplePage.tsx'), 'PeoplePage'),
});

const person = createRoute({
  getParentRoute: () => root,
  path: '/access/people/$id',
  validateSearch: validated(view({ ask: oneOf(['edit', 'reset', 'deactivate', 'reactivate'] as const) })),
  component: lazyRouteComponent(() => import('./features/access/PersonPage.tsx'), 'PersonPage'),
});

const clients = createRoute({
  getParentRoute: () => root,
  path: '/access/clients',
  validateSearch: validated(
    view({ text, active: oneOf(['yes', 'no'] as const), after: text, ask: oneOf(['register'] as const) }),
  ),
  component: lazyRouteComponent(() => import('./features/access/ClientsPage.tsx'), 'ClientsPage'),
});

const oauthClient = createRoute({
  getParentRoute: () => root,
  path: '/access/clients/$id',
  validateSearch: validated(view({ ask: oneOf(['edit', 'rotate', 'deactivate'] as const) })),
  component: lazyRouteComponent(() => import('./features/access/ClientPage.tsx'), 'ClientPage'),
});

const groups = createRoute({
  getParentRoute: () => root,
  path: '/access/groups',
  validateSearch: validated(view({ after: text, ask: oneOf(['create'] as const) })),
  component: lazyRouteComponent(() => import('./features/access/GroupsPage.tsx'), 'GroupsPage'),
});

const signOn = createRoute({
  getParentRoute: () => root,
  path: '/access/sign-on',
  validateSearch: validated(view({ ask: oneOf(['create'] as const) })),
  component: lazyRouteComponent(() => import('./features/access/SignOnPage.tsx'), 'SignOnPage'),
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/access/sessions',
  validateSearch: validated(view({ after: text, apps: text, ended: flag })),
  component: lazyRouteComponent(() => import('./features/access/SessionsPage.tsx'), 'SessionsPage'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/access/keys',
  component: lazyRouteComponent(() => import('./features/access/KeysPage.tsx'), 'KeysPage'),
});

const registry = createRoute({
  getParentRoute: () => root,
  path: '/access/registry',
  validateSearch: validated(
    view({
      scope: text,
      service: text,
      plan: text,
      license: text,
      outcome: oneOf(['ISSUED', 'REFUSED'] as const),
      repository: text,
      subject: text,
      after: text,
    }),
  ),
  component: lazyRouteComponent(() => import('./features/access/RegistryPage.tsx'), 'RegistryPage'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: validated(
    view({ type: text, entity: text, id: text, actor: text, from: text, to: text, correlation: text, after: text }),
  ),
  component: lazyRouteComponent(() => import('./features/audit/AuditPage.tsx'), 'AuditPage'),
});

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: validated(
    view({
      q: text,
      domain: someOf(SEARCH_DOMAINS),
      severity: someOf(SEARCH_SEVERITIES),
      ecosystem: text,
      type: text,
      k: integer(1, 50),
      card: text,
    }),
  ),
  component: lazyRouteComponent(() => import('./features/search/SearchPage.tsx'), 'SearchPage'),
});

const quality = createRoute({
  getParentRoute: () => root,
  path: '/search/quality',
  validateSearch: validated(
    view({
      period: oneOf(['24h', '7d', '30d'] as const),
      alerts: oneOf(['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'ALL'] as const),
      ask: oneOf(['rebuild', 'import'] as const),
    }),
  ),
  component: lazyRouteComponent(() => import('./features/search/QualityPage.tsx'), 'QualityPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./features/settings/SettingsPage.tsx'), 'SettingsPage'),
});

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
