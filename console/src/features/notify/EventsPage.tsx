import { getRouteApi } from '@tanstack/react-router';
import { type EventRowFragment, NotificationEventsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { Chip } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Time } from '../../ui/Time.tsx';
import { attributeText } from './event-facts.ts';
import { t } from './labels.ts';
import { NotifyLayout } from './NotifyLayout.tsx';
import { SeverityOfEvent } from './states.tsx';

const route = getRouteApi('/notify/events');

/** Page of the events that were accepted, the newest first; a row opens what became of it. */
export const EventsPage = () => (
  <NotifyLayout tab="events">
    <Events />
  </NotifyLayout>
);

function Events() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { kind, about, after } = list.view;
  const events = useLiveQuery(
    NotificationEventsDocument,
    { kind: kind ?? null, about: about ?? null, after: after ?? null },
    ['Deployment', 'Promotion', 'NotificationChannel', 'NotificationDelivery'],
  );
  return (
    <ListResult
      of={events}
      rows={({ notificationEvents }) => notificationEvents}
      fault={t('events.fault')}
      empty={t(list.clear ? 'events.noMatch' : 'events.empty')}
      list={list}
      filters={
        <>
          <TextFilter label={t('events.find')} value={kind} find={(text) => list.filterBy({ kind: text })} />
          {about !== undefined && (
            <Chip pressed onPress={() => list.filterBy({ about: undefined })}>
              {t('events.about', { value: about })}
            </Chip>
          )}
        </>
      }
      label={t('notify.tab.events')}
      columns={columns()}
      open={(id) => void navigate({ to: '/notify/explain/$eventId', params: { eventId: id } })}
      labelled
    />
  );
}

const columns = (): Column<EventRowFragment>[] => [
  {
    name: t('event.kind'),
    className: 'breaks',
    cell: ({ id, kind }) => (
      <Link look="name" data-open="" to="/notify/explain/$eventId" params={{ eventId: id }}>
        {kind}
      </Link>
    ),
  },
  { name: t('event.severity'), cell: (event) => <SeverityOfEvent event={event} /> },
  { name: t('event.attributes'), className: 'breaks soft', cell: ({ attributes }) => attributeText(attributes) },
  { name: t('event.producer'), className: 'soft', cell: ({ producer }) => producer },
  {
    name: t('event.routed'),
    number: true,
    cell: ({ routedAt }) => optional(routedAt, t('event.notRouted'), (at) => <Time at={at} as="full" />),
  },
  { name: t('event.at'), number: true, cell: ({ at }) => <Time at={at} as="full" /> },
];
