import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type VexSourceRowFragment, VexSourcesDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { mayWriteScans } from '../../lib/scan-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { ScansLayout } from '../../parts/ScansLayout.tsx';
import { Button, RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import { RemoveSource } from './RemoveSource.tsx';
import { EditSource, RegisterSource } from './SourceForm.tsx';
import { SourceTrustLabel } from './TrustLabels.tsx';

const route = getRouteApi('/scans/vex');

/** Page of the registered sources of VEX, the greatest rank first. */
export function SourcesPage() {
  const navigate = route.useNavigate();
  const { view, set } = usePageView(route.useSearch(), navigate);
  const register = () => set({ ask: 'register' });
  return (
    <ScansLayout
      tab="vex"
      title={t('vexSources.title')}
      lead={t('vexSources.lead')}
      actions={
        mayWriteScans()
          ? [{ id: 'vexSource.create', keys: 'c', title: t('vexSource.register'), weight: 'primary', run: register }]
          : []
      }
    >
      <Sources register={register} />
      {view.ask === 'register' && mayWriteScans() && (
        <RegisterSource
          close={() => set({ ask: undefined })}
          open={(id) => void navigate({ to: '/scans/vex/$id', params: { id } })}
        />
      )}
    </ScansLayout>
  );
}

type Asked = { readonly verb: 'edit' | 'remove'; readonly source: VexSourceRowFragment };

function Sources({ register }: { readonly register: () => void }) {
  const navigate = route.useNavigate();
  const sources = useLiveQuery(VexSourcesDocument, {}, ['VexSource']);
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  return (
    <>
      <ListResult
        label={t('vexSources.title')}
        of={sources}
        rows={({ vexSources }) => vexSources}
        fault={t('vexSources.fault')}
        empty={t('vexSources.empty')}
        verb={
          mayWriteScans() && (
            <Button size="small" onClick={register}>
              {t('vexSource.register')}
            </Button>
          )
        }
        columns={columns(ask)}
        open={(id) => void navigate({ to: '/scans/vex/$id', params: { id } })}
        labelled
      />
      {asked?.verb === 'edit' && <EditSource source={asked.source} close={close} />}
      {asked?.verb === 'remove' && <RemoveSource source={asked.source} close={close} />}
    </>
  );
}

const columns = (ask: (asked: Asked) => void): Column<VexSourceRowFragment>[] => [
  {
    name: t('vexSource.name'),
    className: 'breaks',
    cell: ({ id, name }) => (
      <Link look="name" data-open="" to="/scans/vex/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { name: t('vexSource.rank'), number: true, cell: ({ rank }) => count(rank) },
  { name: t('vexSource.trust'), cell: ({ trust }) => <SourceTrustLabel trust={trust} /> },
  { name: t('vexSource.documents'), number: true, cell: ({ totals }) => count(totals.documentCount) },
  { name: t('vexSource.statements'), number: true, cell: ({ totals }) => count(totals.statementCount) },
  { name: t('vexSource.problems'), number: true, cell: ({ totals }) => count(totals.problemCount) },
  {
    name: t('vexSource.newest'),
    cell: ({ totals }) =>
      optional(totals.lastImportedAt, t('vexSource.newest.none'), (at) => <RelativeTime at={at} as="relative" />),
  },
  ...(mayWriteScans()
    ? [
        actionsColumn<VexSourceRowFragment>((source) => (
          <span className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end' }}>
            <RowButton
              label={t('vexSource.edit.label', { name: source.name })}
              press={() => ask({ verb: 'edit', source })}
            >
              {t('vexSource.edit')}
            </RowButton>
            <RowButton
              label={t('vexSource.remove.label', { name: source.name })}
              press={() => ask({ verb: 'remove', source })}
            >
              {t('vexSource.remove')}
            </RowButton>
          </span>
        )),
      ]
    : []),
];
