import type { MessageKey } from '../lib/i18n.ts';
import type { IconName } from '../ui/Icon.tsx';

/** Entry of the navigation. `tab` entries are the tabs of a phone; the others are under More. */
export type NavigationItem = {
  readonly to:
    | '/'
    | '/inbox'
    | '/products'
    | '/releases'
    | '/deployments'
    | '/environments'
    | '/estate'
    | '/custody'
    | '/evidence'
    | '/scans'
    | '/audit'
    | '/search'
    | '/agents'
    | '/airgap'
    | '/integrations'
    | '/notify'
    | '/access'
    | '/settings';
  readonly name: MessageKey;
  readonly icon: IconName;
  readonly group: 'now' | 'ship' | 'prove' | 'find' | 'run';
  readonly keys?: string;
  readonly tab?: true;
};

export const NAVIGATION: readonly NavigationItem[] = [
  { to: '/', name: 'nav.today', icon: 'today', group: 'now', keys: 'g t', tab: true },
  { to: '/inbox', name: 'nav.inbox', icon: 'inbox', group: 'now', keys: 'g i', tab: true },
  { to: '/products', name: 'nav.products', icon: 'product', group: 'ship', keys: 'g p' },
  { to: '/releases', name: 'nav.releases', icon: 'release', group: 'ship', keys: 'g r' },
  { to: '/deployments', name: 'nav.deployments', icon: 'deploy', group: 'ship', keys: 'g d', tab: true },
  { to: '/environments', name: 'nav.environments', icon: 'environment', group: 'ship', keys: 'g v' },
  { to: '/estate', name: 'nav.estate', icon: 'estate', group: 'ship', keys: 'g e' },
  { to: '/custody', name: 'nav.custody', icon: 'custody', group: 'prove', keys: 'g c' },
  { to: '/evidence', name: 'nav.evidence', icon: 'evidence', group: 'prove', keys: 'g b' },
  { to: '/scans', name: 'nav.scans', icon: 'scan', group: 'prove', keys: 'g x' },
  { to: '/audit', name: 'nav.audit', icon: 'audit', group: 'prove', keys: 'g l' },
  { to: '/search', name: 'nav.search', icon: 'search', group: 'find', keys: 'g f', tab: true },
  { to: '/agents', name: 'nav.agents', icon: 'agents', group: 'run', keys: 'g a' },
  { to: '/notify', name: 'nav.notify', icon: 'notify', group: 'run', keys: 'g m' },
  { to: '/airgap', name: 'nav.airgap', icon: 'airgap', group: 'run', keys: 'g o' },
  { to: '/integrations', name: 'nav.integrations', icon: 'integration', group: 'run', keys: 'g n' },
  { to: '/access', name: 'nav.access', icon: 'access', group: 'run', keys: 'g u' },
  { to: '/settings', name: 'nav.settings', icon: 'settings', group: 'run', keys: 'g s' },
];
