import { useState } from 'react';
import {
  type SearchAlertRowFragment,
  type SearchAlertStatus,
  SearchAlertsDocument,
  UpdateSearchAlertDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Chip, RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Filters } from '../../ui/Filters.tsx';
import { TextArea } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

const ALERT_VIEWS = ['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'ALL'] as const;

type AlertView = SearchAlertStatus | 'ALL';

const LOOKS: Looks<SearchAlertStatus> = { OPEN: 'attention', ACKNOWLEDGED: 'held', RESOLVED: 'verified' };

type AlertsProps = { readonly status: AlertView; readonly choose: (status: AlertView) => void };

export function Alerts({ status, choose }: AlertsProps) {
  const alerts = useLiveQuery(SearchAlertsDocument, { status: status === 'ALL' ? null : status }, ['SearchAlert']);
  const [resolving, resolve] = useState<SearchAlertRowFragment>();
  return (
    <Section title={t('alerts.title')} bare>
      <Filters>
        {ALERT_VIEWS.map((value) => (
          <Chip key={value} pressed={value === status} onPress={() => choose(value)}>
            {t(`alerts.status.${value}`)}
          </Chip>
        ))}
      </Filters>
      <ListResult
        of={alerts}
        rows={({ searchAlerts }) => searchAlerts}
        rowId={({ alertId }) => alertId}
        fault={t('alerts.fault')}
        empty={t(status === 'ALL' ? 'alerts.empty' : 'alerts.none')}
        skeleton={2}
        label={t('alerts.title')}
        columns={columns(resolve, alerts.refetch)}
        labelled
      />
      {resolving !== undefined && <Resolve alert={resolving} done={alerts.refetch} close={() => resolve(undefined)} />}
    </Section>
  );
}

const columns = (
  resolve: (alert: SearchAlertRowFragment) => void,
  refetch: () => void,
): Column<SearchAlertRowFragment>[] => [
  {
    name: t('quality.query'),
    cell: ({ query }) => (
      <Link look="name" to="/search" search={{ q: query }}>
        {query}
      </Link>
    ),
  },
  {
    name: t('alerts.type'),
    cell: ({ alertType }) => <span title={t(`alerts.type.${alertType}.hint`)}>{t(`alerts.type.${alertType}`)}</span>,
  },
  {
    name: t('alerts.state'),
    cell: ({ status, resolution }) => (
      <>
        <StateLabel look={LOOKS[status]}>{t(`alerts.status.${status}`)}</StateLabel>
        {resolution !== null && <span className="small quiet"> {resolution}</span>}
      </>
    ),
  },
  { name: t('quality.times'), number: true, cell: ({ occurrences }) => count(occurrences) },
  { name: t('alerts.last'), cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} as="relative" /> },
  actionsColumn((alert) => <AlertActions alert={alert} resolve={() => resolve(alert)} refetch={refetch} />),
];

type AlertActionsProps = {
  readonly alert: SearchAlertRowFragment;
  readonly resolve: () => void;
  readonly refetch: () => void;
};

function AlertActions({ alert: { alertId, status, query }, resolve, refetch }: AlertActionsProps) {
  const action = useAction(UpdateSearchAlertDocument);
  const acknowledge = async () => {
    if ((await action.run({ alertId, status: 'ACKNOWLEDGED' })) === undefined) return;
    toast(t('alerts.acknowledged', { query }));
    refetch();
  };
  return (
    <>
      <span className="row">
        {status === 'OPEN' && (
          <RowButton
            busy={action.busy}
            label={t('alerts.acknowledge.name', { query })}
            press={() => void acknowledge()}
          >
            {t('alerts.acknowledge')}
          </RowButton>
        )}
        {status !== 'RESOLVED' && (
          <RowButton label={t('alerts.resolve.name', { query })} press={resolve}>
            {t('alerts.resolve')}
          </RowButton>
        )}
      </span>
      <ActionError problem={action.problem} />
    </>
  );
}

type ResolveProps = {
  readonly alert: SearchAlertRowFragment;
  readonly done: () => void;
  readonly close: () => void;
};

/** Resolves an alert, with a note on what was done about it. */
function Resolve({ alert: { alertId, query }, done: callback, close }: ResolveProps) {
  return (
    <FormDialog
      document={UpdateSearchAlertDocument}
      input={({ maybe }) => ({ alertId, status: 'RESOLVED' as const, resolution: maybe('resolution') })}
      title={t('alerts.resolve.title', { query })}
      verb={t('alerts.resolve.verb')}
      done={t('alerts.resolved', { query })}
      onDone={() => {
        callback();
        close();
      }}
      close={close}
    >
      <TextArea name="resolution" label={t('alerts.resolution')} hint={t('alerts.resolution.hint')} autoFocus />
    </FormDialog>
  );
}
