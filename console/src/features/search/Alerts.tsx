import { useState } from 'react';
import {
  type SearchAlertRowFragment,
  type SearchAlertStatus,
  SearchAlertsDocument,
  UpdateSearchAlertDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button, Chip } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Filters } from '../../ui/Filters.tsx';
import { Form, TextArea } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { Link } from '../../ui/Link.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel, type StateStyle } from '../../ui/StateLabel.tsx';
import { Table } from '../../ui/Table.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

export const ALERT_VIEWS = ['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'ALL'] as const;

type AlertView = SearchAlertStatus | 'ALL';

const LOOKS: Readonly<Record<SearchAlertStatus, StateStyle>> = {
  OPEN: { shape: 'attention', tone: 'attention' },
  ACKNOWLEDGED: { shape: 'held', tone: 'waiting' },
  RESOLVED: { shape: 'verified', tone: 'good' },
};

/** What the monitor of quality raised. */
export function Alerts({
  status,
  choose,
}: {
  readonly status: AlertView;
  readonly choose: (status: AlertView) => void;
}) {
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
      <QueryResult of={alerts} skeleton={<SkeletonRows rows={2} />} fault={t('alerts.fault')}>
        {({ searchAlerts }) =>
          searchAlerts.length === 0 ? (
            <EmptyState>{t(status === 'ALL' ? 'alerts.never' : 'alerts.none')}</EmptyState>
          ) : (
            <Table label={t('alerts.title')} list labelled head={HEAD()}>
              {searchAlerts.map((alert) => (
                <Row key={alert.alertId} alert={alert} resolve={() => resolve(alert)} refetch={alerts.refetch} />
              ))}
            </Table>
          )
        }
      </QueryResult>
      {resolving !== undefined && <Resolve alert={resolving} done={alerts.refetch} close={() => resolve(undefined)} />}
    </Section>
  );
}

const HEAD = () => [
  { name: t('quality.query') },
  { name: t('alerts.what') },
  { name: t('alerts.state') },
  { name: t('quality.times'), number: true },
  { name: t('alerts.last') },
  { name: t('target.verbs'), hidden: true },
];

function Row({
  alert,
  resolve,
  refetch,
}: {
  readonly alert: SearchAlertRowFragment;
  readonly resolve: () => void;
  readonly refetch: () => void;
}) {
  const verb = useAction(UpdateSearchAlertDocument);
  const { alertId, alertType, status, query, occurrences, lastSeenAt, resolution } = alert;
  const acknowledge = async () => {
    if ((await verb.run({ alertId, status: 'ACKNOWLEDGED' })) === undefined) return;
    toast(t('alerts.acknowledged', { query }));
    refetch();
  };
  return (
    <tr>
      <th scope="row">
        <Link look="name" to="/search" search={{ q: query }}>
          {query}
        </Link>
        <ActionError problem={verb.problem} />
      </th>
      <td data-label={t('alerts.what')} title={t(`alerts.type.${alertType}.hint`)}>
        {t(`alerts.type.${alertType}`)}
      </td>
      <td data-label={t('alerts.state')}>
        <StateLabel {...LOOKS[status]}>{t(`alerts.status.${status}`)}</StateLabel>
        {resolution !== null && <span className="small quiet"> {resolution}</span>}
      </td>
      <td className="num" data-label={t('quality.times')}>
        {count(occurrences)}
      </td>
      <td data-label={t('alerts.last')}>
        <RelativeTime at={lastSeenAt} as="relative" />
      </td>
      <td className="num">
        <span className="row">
          {status === 'OPEN' && (
            <Button
              size="small"
              busy={verb.busy}
              aria-label={t('alerts.acknowledge.name', { query })}
              onClick={() => void acknowledge()}
            >
              {t('alerts.acknowledge')}
            </Button>
          )}
          {status !== 'RESOLVED' && (
            <Button size="small" aria-label={t('alerts.resolve.name', { query })} onClick={resolve}>
              {t('alerts.resolve')}
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

/** Ends an alert, and says what was done about it. */
function Resolve({
  alert: { alertId, query },
  done,
  close,
}: {
  readonly alert: SearchAlertRowFragment;
  readonly done: () => void;
  readonly close: () => void;
}) {
  const verb = useAction(UpdateSearchAlertDocument);
  const submit = async (data: FormData) => {
    const resolution = String(data.get('resolution') ?? '').trim() || null;
    if ((await verb.run({ alertId, status: 'RESOLVED', resolution })) === undefined) return;
    toast(t('alerts.resolved', { query }));
    done();
    close();
  };
  return (
    <Dialog title={t('alerts.resolve.title', { query })} close={close}>
      <Form problems={verb.problem?.fields} submit={submit}>
        <TextArea name="resolution" label={t('alerts.resolution')} hint={t('alerts.resolution.hint')} autoFocus />
        <FormFoot act={verb} verb={t('alerts.resolve.verb')} close={close} />
      </Form>
    </Dialog>
  );
}
