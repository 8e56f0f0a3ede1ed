import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { scanLabel as t } from '../lib/scan-labels.ts';
import { mayReadScans, SCANS_READ } from '../lib/scan-permissions.ts';
import { useTabCommands } from '../lib/tab-commands.ts';
import { Tabs } from '../ui/Filters.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../ui/Forbidden.tsx';
import { ChipLink } from '../ui/Link.tsx';
import { type PageAction, PageHead } from '../ui/PageHead.tsx';

const TABS = [
  ['scans', '/scans'],
  ['triage', '/scans/triage'],
  ['vex', '/scans/vex'],
  ['policies', '/scans/policies'],
] as const;

type ScansLayoutProps = {
  readonly tab: (typeof TABS)[number][0];
  readonly title: string;
  readonly lead: string;
  readonly actions?: readonly PageAction[];
  readonly children: ReactNode;
};

/** Layout of the pages about scans: their head, their tabs, and the rule for users who may not read scans. */
export function ScansLayout({ tab, title, lead, actions = [], children }: ScansLayoutProps) {
  const navigate = useNavigate();
  useTabCommands(
    TABS.map(([name, to]) => ({
      name,
      title: t('scanTab.go', { name: t(`scanTab.${name}`) }),
      go: () => void navigate({ to }),
    })),
    tab,
  );
  const mayRead = mayReadScans();
  return (
    <>
      <PageHead title={title} actions={mayRead ? actions : []}>
        {lead}
      </PageHead>
      <Tabs label={t('scanTab.label')}>
        {TABS.map(([name, to]) => (
          <ChipLink key={name} to={to} activeOptions={{ exact: true, includeSearch: false }}>
            {t(`scanTab.${name}`)}
          </ChipLink>
        ))}
      </Tabs>
      {mayRead ? children : <ForbiddenAction name={t('scans.title')} scope={SCANS_READ} permission={SCOPE_DENIED} />}
    </>
  );
}
