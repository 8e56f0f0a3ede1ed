import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mayReadNotifications, NOTIFY_READ } from '../../lib/notify-permissions.ts';
import { useTabCommands } from '../../lib/tab-commands.ts';
import { Tabs } from '../../ui/Filters.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { ChipLink } from '../../ui/Link.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
import { t } from './labels.ts';

const TABS = [
  ['deliveries', '/notify'],
  ['deadLetters', '/notify/dead-letters'],
  ['events', '/notify/events'],
  ['channels', '/notify/channels'],
  ['rules', '/notify/rules'],
  ['templates', '/notify/templates'],
  ['silences', '/notify/silences'],
] as const;

type NotifyTab = (typeof TABS)[number][0];

type NotifyLayoutProps = {
  readonly tab: NotifyTab;
  readonly actions?: readonly PageAction[];
  readonly children: ReactNode;
};

/** Layout of the lists about notifications: their head, their tabs, and the rule for users who may not read them. */
export function NotifyLayout({ tab, actions = [], children }: NotifyLayoutProps) {
  const navigate = useNavigate();
  useTabCommands(
    TABS.map(([name, to]) => ({
      name,
      title: t('notify.tab.go', { name: t(`notify.tab.${name}`) }),
      go: () => void navigate({ to }),
    })),
    tab,
  );
  return (
    <>
      <PageHead title={t('notify.title')} tab={t(`notify.tab.${tab}`)} actions={mayReadNotifications() ? actions : []}>
        {t(`notify.lead.${tab}`)}
      </PageHead>
      <Tabs label={t('notify.title')}>
        {TABS.map(([name, to]) => (
          <ChipLink key={name} to={to} activeOptions={{ exact: true, includeSearch: false }}>
            {t(`notify.tab.${name}`)}
          </ChipLink>
        ))}
      </Tabs>
      <Readers>{children}</Readers>
    </>
  );
}

/** Content for users who may read notifications; others read the rule. */
export const Readers = ({ children }: { readonly children: ReactNode }) =>
  mayReadNotifications() ? (
    children
  ) : (
    <ForbiddenAction name={t('notify.title')} scope={NOTIFY_READ} permission={SCOPE_DENIED} />
  );

/** Pages above a page of one thing. */
export const crumbs = (tab: NotifyTab) => [
  { path: '/notify', label: t('notify.title') },
  { path: TABS.find(([name]) => name === tab)?.[1] ?? '/notify', label: t(`notify.tab.${tab}`) },
];
