import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type DeliveryDetailFragment,
  NotificationDeliveryDetailDocument,
  type NotificationDeliveryDetailQuery,
  RetryNotificationDeliveryDocument,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { mayOperate } from '../../lib/notify-permissions.ts';
import { measured } from '../../lib/time.ts';
import { usePageView } from '../../lib/url-state.ts';
import { useOpenRefetch } from '../../lib/use-open-refetch.ts';
import { ReasonDialog } from '../../parts/dialogs.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Select } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { channelLink, deliveryName, reasonText } from './DeliveryTable.tsx';
import { labelOr, t } from './labels.ts';
import { Message } from './Message.tsx';
import { crumbs, Readers } from './NotifyLayout.tsx';
import { AttemptOutcome, DeliveryState, isUnderWay } from './states.tsx';

const route = getRouteApi('/notify/deliveries/$id');

/** Page of a delivery: its attempts with their outcomes, and its message as it was sent. */
export const DeliveryPage = () => (
  <Readers>
    <Content />
  </Readers>
);

function Content() {
  const { id } = route.useParams();
  const answer = useLiveQuery(NotificationDeliveryDetailDocument, { id }, ['NotificationDelivery']);
  const state = answer.data?.notificationDelivery?.state;
  useOpenRefetch(state !== undefined && isUnderWay(state), answer.refetch);
  return (
    <EntityPage
      of={answer}
      entity={({ notificationDelivery }) => notificationDelivery}
      fault={t('deliveryPage.fault')}
      gone={t('delivery.notFound')}
    >
      {(delivery, { notificationChannels }) => <Page delivery={delivery} channels={notificationChannels} />}
    </EntityPage>
  );
}

type Channels = NotificationDeliveryDetailQuery['notificationChannels'];
type PageProps = { readonly delivery: DeliveryDetailFragment; readonly channels: Channels };

/** States from which a delivery can be sent again. */
const RETRYABLE = ['pending', 'failed', 'dead-lettered'];

function Page({ delivery, channels }: PageProps) {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const { state, attempts, message } = delivery;
  const canRetry = mayOperate() && RETRYABLE.includes(state);
  return (
    <>
      <PageHead
        crumbs={crumbs('deliveries')}
        title={t('deliveryPage.title', {
          what: deliveryName(delivery),
          channel: delivery.channel?.name ?? t('channel.removed'),
        })}
        state={<DeliveryState state={state} />}
        actions={
          canRetry
            ? [{ id: 'delivery.retry', keys: 'r', title: t('delivery.retry'), run: () => set({ ask: 'retry' }) }]
            : []
        }
      >
        {labelOr(`delivery.lead.${state}`, '')}
      </PageHead>
      <About delivery={delivery} />
      <TableSection
        title={t('delivery.attempts')}
        columns={attemptColumns()}
        rows={attempts}
        rowId={({ number }) => String(number)}
        empty={t('attempts.empty')}
        labelled
      />
      <Section title={t('delivery.message')}>
        <Message message={message} />
      </Section>
      {view.ask === 'retry' && canRetry && (
        <Retry delivery={delivery} channels={channels} close={() => set({ ask: undefined })} />
      )}
    </>
  );
}

function About({ delivery }: { readonly delivery: DeliveryDetailFragment }) {
  const { event, ruleId, channel, templateKey, reason, createdAt, completedAt, dueAt } = delivery;
  return (
    <Section title={t('notify.facts')}>
      <div className="stack" style={{ paddingBlock: 12 }}>
        <Facts look="page">
          <Fact label={t('delivery.event')}>
            {optional(event, t('delivery.event.gone'), ({ id, kind }) => (
              <Link to="/notify/explain/$eventId" params={{ eventId: id }}>
                {t('delivery.explain', { kind })}
              </Link>
            ))}
          </Fact>
          <Fact label={t('delivery.channel')}>{channelLink(channel)}</Fact>
          {delivery.recipient !== null && (
            <Fact label={t('delivery.recipient')}>
              {delivery.recipient.displayName} <span className="code">{delivery.address}</span>
            </Fact>
          )}
          {ruleId !== null && (
            <Fact label={t('delivery.rule')}>
              <Link to="/notify/rules/$id" params={{ id: ruleId }}>
                {t('delivery.rule.open')}
              </Link>
            </Fact>
          )}
          <Fact label={t('delivery.template')} code={templateKey} />
          <Fact label={t('delivery.reason')}>{reasonText(reason)}</Fact>
          <Fact label={t('delivery.created')} at={createdAt} />
          {completedAt !== null && <Fact label={t('delivery.completed')} at={completedAt} />}
          {dueAt !== null && <Fact label={t('delivery.due')} at={dueAt} />}
          {delivery.externalId !== null && <Fact label={t('delivery.externalId')} code={delivery.externalId} />}
          {delivery.forcedFrom !== null && (
            <Fact label={t('delivery.forcedFrom')}>
              <Link to="/notify/deliveries/$id" params={{ id: delivery.forcedFrom }}>
                {t('delivery.forcedFrom.open')}
              </Link>
            </Fact>
          )}
          <Fact label={t('delivery.correlation')} code={delivery.correlationId} />
        </Facts>
      </div>
    </Section>
  );
}

type Attempt = DeliveryDetailFragment['attempts'][number];

const attemptColumns = (): Column<Attempt>[] => [
  { name: t('attempt.number'), cell: ({ number }) => count(number) },
  { name: t('attempt.outcome'), cell: ({ outcome }) => <AttemptOutcome outcome={outcome} /> },
  { name: t('attempt.status'), cell: ({ httpStatus }) => optional(httpStatus, t('attempt.noStatus'), String) },
  {
    name: t('attempt.error'),
    className: 'breaks',
    cell: ({ error, excerpt }) => (
      <div>
        {optional(error, t('attempt.noError'), (text) => text)}
        {excerpt && <CodeBlock label={t('attempt.excerpt')} text={excerpt} wrap />}
      </div>
    ),
  },
  { name: t('attempt.latency'), number: true, cell: ({ latencyMs }) => measured(latencyMs) },
  { name: t('attempt.started'), number: true, cell: ({ startedAt }) => <Time at={startedAt} as="full" /> },
  {
    name: t('attempt.next'),
    number: true,
    cell: ({ retryAt }) => optional(retryAt, t('none'), (at) => <Time at={at} as="full" />),
  },
];

type RetryProps = PageProps & { readonly close: () => void };

/** Asks why a delivery is sent again, and on which channel. */
function Retry({ delivery: { id, channel }, channels, close }: RetryProps) {
  const navigate = route.useNavigate();
  const [chosen, choose] = useState('');
  const others = channels.filter((each) => each.id !== channel?.id && each.isEnabled);
  return (
    <ReasonDialog
      document={RetryNotificationDeliveryDocument}
      input={(reason) => ({ id, reason, ...(chosen && { forceChannel: chosen }) })}
      title={t('delivery.retry.title')}
      verb={t('delivery.retry')}
      done={t('delivery.retried')}
      onDone={({ retryNotificationDelivery }) => {
        close();
        if (retryNotificationDelivery.id !== id)
          void navigate({ to: '/notify/deliveries/$id', params: { id: retryNotificationDelivery.id } });
      }}
      close={close}
    >
      <Select
        name="forceChannel"
        label={t('delivery.channel')}
        hint={t(chosen ? 'delivery.retry.other' : 'delivery.retry.same')}
        value={chosen}
        onValue={choose}
        options={[
          { value: '', label: channel?.name ?? t('channel.removed') },
          ...others.map(({ id: value, name }) => ({ value, label: name })),
        ]}
      />
    </ReasonDialog>
  );
}
