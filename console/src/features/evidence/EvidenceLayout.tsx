import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTabCommands } from '../../lib/tab-commands.ts';
import { Tabs } from '../../ui/Filters.tsx';
import { ChipLink } from '../../ui/Link.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
import { t } from './labels.ts';

const TABS = [
  ['artifacts', '/evidence'],
  ['bundles', '/evidence/bundles'],
  ['holds', '/evidence/holds'],
  ['retention', '/evidence/retention'],
] as const;

type EvidenceLayoutProps = {
  readonly tab: (typeof TABS)[number][0];
  readonly actions?: readonly PageAction[];
  readonly children: ReactNode;
};

/** Layout of the lists about evidence: their head and their tabs. */
export function EvidenceLayout({ tab, actions = [], children }: EvidenceLayoutProps) {
  const navigate = useNavigate();
  useTabCommands(
    TABS.map(([name, to]) => ({
      name,
      title: t('artifacts.tab.go', { name: t(`artifacts.tab.${name}`) }),
      go: () => void navigate({ to }),
    })),
    tab,
  );
  return (
    <>
      <PageHead title={t('artifacts.title')} tab={t(`artifacts.tab.${tab}`)} actions={actions}>
        {t(`artifacts.lead.${tab}`)}
      </PageHead>
      <Tabs label={t('artifacts.title')}>
        {TABS.map(([name, to]) => (
          <ChipLink key={name} to={to} activeOptions={{ exact: true, includeSearch: false }}>
            {t(`artifacts.tab.${name}`)}
          </ChipLink>
        ))}
      </Tabs>
      {children}
    </>
  );
}
