import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AIRGAP_READ, mayReadAirGap } from '../../lib/airgap-permissions.ts';
import { useTabCommands } from '../../lib/tab-commands.ts';
import { Tabs } from '../../ui/Filters.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { ChipLink } from '../../ui/Link.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
import { t } from './labels.ts';

const TABS = [
  ['seal', '/airgap'],
  ['kits', '/airgap/kits'],
  ['sites', '/airgap/sites'],
] as const;

type AirGapLayoutProps = {
  readonly tab: (typeof TABS)[number][0];
  readonly state?: ReactNode;
  readonly lead: string;
  readonly actions?: readonly PageAction[];
  readonly children: ReactNode;
};

/** Layout of the pages of the air gap: their head, their tabs, and the rule for users who may not read it. */
export function AirGapLayout({ tab, state, lead, actions = [], children }: AirGapLayoutProps) {
  const navigate = useNavigate();
  useTabCommands(
    TABS.map(([name, to]) => ({
      name,
      title: t('airgap.tab.go', { name: t(`airgap.tab.${name}`) }),
      go: () => void navigate({ to }),
    })),
    tab,
  );
  const mayRead = mayReadAirGap();
  return (
    <>
      <PageHead title={t('airgap.title')} tab={t(`airgap.tab.${tab}`)} state={state} actions={mayRead ? actions : []}>
        {lead}
      </PageHead>
      <Tabs label={t('airgap.title')}>
        {TABS.map(([name, to]) => (
          <ChipLink key={name} to={to} activeOptions={{ exact: true, includeSearch: false }}>
            {t(`airgap.tab.${name}`)}
          </ChipLink>
        ))}
      </Tabs>
      {mayRead ? children : <ForbiddenAction name={t('airgap.title')} scope={AIRGAP_READ} permission={SCOPE_DENIED} />}
    </>
  );
}
