import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { hasScope } from '../../lib/session.ts';
import { useTabCommands } from '../../lib/tab-commands.ts';
import { Tabs } from '../../ui/Filters.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { ChipLink, Link } from '../../ui/Link.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
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

type AccessLayoutProps = {
  readonly tab: (typeof TABS)[number][0];
  readonly actions?: readonly PageAction[];
  readonly children: ReactNode;
};

/** Layout of the pages of Access: their head, their tabs, and the rule for users who are no administrators. */
export function AccessLayout({ tab, actions = [], children }: AccessLayoutProps) {
  const navigate = useNavigate();
  useTabCommands(
    TABS.map(([name, to]) => ({
      name,
      title: t('tabs.go', { name: t(`tab.${name}`) }),
      go: () => void navigate({ to }),
    })),
    tab,
  );
  return (
    <>
      <PageHead title={t('access.title')} tab={t(`tab.${tab}`)} actions={isAdministrator() ? actions : []}>
        {t(`accessLead.${tab}`)}
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

const isAdministrator = (): boolean => hasScope('authority:admin');

/** Content for administrators; other users read the rule, with a link to their own settings. */
export function AdministratorOnly({ children }: { readonly children: ReactNode }) {
  if (isAdministrator()) return children;
  return (
    <>
      <ForbiddenAction name={t('access.title')} scope="authority:admin" permission={SCOPE_DENIED} />
      <p>
        <Link to="/settings">{t('access.own')}</Link>
      </p>
    </>
  );
}
