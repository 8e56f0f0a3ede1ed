import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { hasScope } from '../../lib/session.ts';
import { Tabs } from '../../ui/Filters.tsx';
import { ForbiddenAction } from '../../ui/Forbidden.tsx';
import { ChipLink, Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { t } from './labels.ts';

const TABS = [
  ['people', '/access'],
  ['clients', '/access/clients'],
  ['groups', '/access/groups'],
  ['signOn', '/access/sign-on'],
  ['sessions', '/access/sessions'],
  ['keys', '/access/keys'],
  ['registry', '/access/registry'],
] as const;

export type Tab = (typeof TABS)[number][0];

/** What the pages of Access share: their head, the way between them, and the rule for whoever may not see them. */
export function AccessLayout({
  tab,
  verbs,
  children,
}: {
  readonly tab: Tab;
  readonly verbs?: ReactNode;
  readonly children: ReactNode;
}) {
  const navigate = useNavigate();
  const step = (by: 1 | -1) => () => {
    const at = TABS.findIndex(([name]) => name === tab);
    const next = TABS[(at + by + TABS.length) % TABS.length];
    if (next !== undefined) void navigate({ to: next[1] });
  };
  useCommands([
    ...TABS.filter(([name]) => name !== tab).map(([name, to]) => ({
      id: `tab.${name}`,
      group: 'go' as const,
      title: t('tabs.go', { name: t(`tab.${name}`) }),
      run: () => void navigate({ to }),
    })),
    { id: 'tab.next', group: 'move', keys: ']', title: t('tabs.next'), run: step(1) },
    { id: 'tab.previous', group: 'move', keys: '[', title: t('tabs.previous'), run: step(-1) },
  ]);
  return (
    <>
      <PageHead title={t('access.title')} tab={t(`tab.${tab}`)} verbs={isAdministrator() && verbs}>
        {t(`lead.${tab}`)}
      </PageHead>
      <Tabs label={t('access.title')}>
        {TABS.map(([name, to]) => (
          <ChipLink key={name} to={to} activeOptions={{ exact: true, includeSearch: false }}>
            {t(`tab.${name}`)}
          </ChipLink>
        ))}
      </Tabs>
      <AdministratorOnly>{children}</AdministratorOnly>
    </>
  );
}

/** Who lets people and clients in. */
export const isAdministrator = (): boolean => hasScope('authority:admin');

/** What only an administrator sees; for everybody else the rule, and what is their own. */
export function AdministratorOnly({ children }: { readonly children: ReactNode }) {
  if (isAdministrator()) return children;
  return (
    <>
      <ForbiddenAction
        name={t('access.title')}
        scope="authority:admin"
        permission={{ allowed: false, code: 'PERM_SCOPE_DENIED' }}
      />
      <p>
        <Link to="/settings">{t('access.own')}</Link>
      </p>
    </>
  );
}
