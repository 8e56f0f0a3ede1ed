import { getRouteApi } from '@tanstack/react-router';
import { Fragment } from 'react';
import { type EventExplanationFragment, ExplainNotificationEventDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { mayOperate } from '../../lib/notify-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { useOpenRefetch } from '../../lib/use-open-refetch.ts';
import { CollapsedCode } from '../../ui/CodeBlock.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { deliveryColumns } from './DeliveryTable.tsx';
import { attributeOf, attributeText, matchersLike } from './event-facts.ts';
import { labelOr, t } from './labels.ts';
import { readable } from './Message.tsx';
import { crumbs, Readers } from './NotifyLayout.tsx';
import { CreateSilence } from './SilenceForm.tsx';
import { isUnderWay, RuleOutcomeLabel, SeverityOfEvent } from './states.tsx';

const route = getRouteApi('/notify/explain/$eventId');

/** Page of an event: which rules it matched or why not, and what became of it. */
export const ExplainPage = () => (
  <Readers>
    <Content />
  </Readers>
);

function Content() {
  const { eventId } = route.useParams();
  const answer = useLiveQuery(ExplainNotificationEventDocument, { id: eventId }, ['NotificationDelivery']);
  const found = answer.data?.explainNotificationEvent;
  const isOpen = found?.event.routedAt === null || found?.deliveries.some(({ state }) => isUnderWay(state)) === true;
  useOpenRefetch(isOpen, answer.refetch);
  return (
    <EntityPage
      of={answer}
      entity={({ explainNotificationEvent }) => explainNotificationEvent}
      fault={t('explain.fault')}
      gone={t('explain.notFound')}
    >
      {(explanation, { notificationChannels }) => (
        <Page explanation={explanation} channels={new Map(notificationChannels.map(({ id, name }) => [id, name]))} />
      )}
    </EntityPage>
  );
}

type ExplanationProps = { readonly explanation: EventExplanationFragment };
type PageProps = ExplanationProps & { readonly channels: ReadonlyMap<string, string> };

/** Outcome of the event in one sentence. */
function outcomeText({ event, rules, deliveries, suppressions, waiting, groups }: EventExplanationFragment): string {
  if (event.routedAt === null) return t('explain.lead.notRouted');
  // The message of a group may be about another event first.
  const told = new Set([...deliveries, ...groups.flatMap(({ delivery }) => delivery ?? [])].map(({ id }) => id));
  const open = groups.filter(({ delivery }) => delivery === null);
  const counts = { sent: told.size, waiting: waiting.length + open.length, suppressed: suppressions.length };
  if (counts.sent + counts.waiting + counts.suppressed > 0) return t('explain.lead', counts);
  return t(rules.length === 0 ? 'explain.lead.noRules' : 'explain.lead.noMatch');
}

function Page({ explanation, channels }: PageProps) {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const navigate = route.useNavigate();
  const { event, rules, deliveries, suppressions, waiting, groups } = explanation;
  const ruleName = (id: string | null) => rules.find(({ ruleId }) => ruleId === id)?.name ?? '';
  const tryRule = () => void navigate({ to: '/notify/rules/$id', params: { id: 'new' }, search: { event: event.id } });
  const actions: PageAction[] = [
    ...(mayOperate()
      ? [{ id: 'event.silence', keys: 's', title: t('event.silence'), run: () => set({ ask: 'silence' }) }]
      : []),
    { id: 'event.try', keys: 'y', title: t('event.try'), run: tryRule },
  ];
  return (
    <>
      <PageHead
        crumbs={crumbs('events')}
        title={event.kind}
        state={<SeverityOfEvent event={event} />}
        actions={actions}
      >
        {outcomeText(explanation)}
      </PageHead>
      <TableSection
        title={t('explain.rules')}
        columns={ruleColumns()}
        rows={rules}
        rowId={({ ruleId }) => ruleId}
        empty={t(event.routedAt === null ? 'explain.lead.notRouted' : 'explain.lead.noRules')}
        labelled
      />
      {deliveries.length > 0 && (
        <TableSection title={t('notify.tab.deliveries')} columns={deliveryColumns()} rows={deliveries} labelled />
      )}
      {waiting.length > 0 && (
        <TableSection
          title={t('explain.waiting')}
          columns={[
            { name: t('delivery.rule'), className: 'breaks', cell: ({ ruleId }) => ruleName(ruleId) },
            { name: t('explain.reason'), className: 'breaks', cell: ({ reason }) => reason },
            { name: t('explain.until'), number: true, cell: ({ dueAt }) => <Time at={dueAt} /> },
          ]}
          rows={waiting}
          labelled
        />
      )}
      {groups.length > 0 && (
        <TableSection
          title={t('explain.groups')}
          columns={[
            { name: t('delivery.rule'), className: 'breaks', cell: ({ ruleId }) => ruleName(ruleId) },
            { name: t('explain.place'), cell: ({ kind }) => t(`explain.place.${kind}`) },
            {
              name: t('explain.toldBy'),
              className: 'breaks',
              cell: ({ delivery }) =>
                optional(delivery, t('explain.notTold'), (told) => (
                  <Link to="/notify/deliveries/$id" params={{ id: told.id }}>
                    {t('explain.message')}
                  </Link>
                )),
            },
            {
              name: t('explain.reason'),
              className: 'breaks',
              cell: ({ reason }) => optional(reason, t('none'), String),
            },
            {
              name: t('explain.next'),
              number: true,
              cell: ({ dueAt }) => optional(dueAt, t('none'), (at) => <Time at={at} as="full" />),
            },
          ]}
          rows={groups}
          labelled
        />
      )}
      {suppressions.length > 0 && (
        <TableSection
          title={t('explain.suppressions')}
          columns={[
            { name: t('delivery.rule'), className: 'breaks', cell: ({ ruleId }) => ruleName(ruleId) },
            {
              name: t('delivery.channel'),
              className: 'breaks',
              cell: ({ channelId, recipient }) =>
                recipient?.displayName ?? channels.get(channelId ?? '') ?? t('channel.removed'),
            },
            { name: t('explain.policy'), cell: ({ policy }) => labelOr(`policy.${policy}`, policy) },
            { name: t('explain.reason'), className: 'breaks', cell: ({ reason }) => reason },
            { name: t('explain.at'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          rows={suppressions}
          labelled
        />
      )}
      <About explanation={explanation} />
      {view.ask === 'silence' && mayOperate() && (
        <CreateSilence
          kind="silence"
          name={t('silence.name.like', { what: attributeText(event.attributes) || event.kind })}
          matchers={matchersLike(event)}
          close={() => set({ ask: undefined })}
        />
      )}
    </>
  );
}

type ExplainedRule = EventExplanationFragment['rules'][number];

const ruleColumns = (): Column<ExplainedRule>[] => [
  {
    name: t('delivery.rule'),
    className: 'breaks',
    cell: ({ ruleId, name }) => (
      <Link look="name" to="/notify/rules/$id" params={{ id: ruleId }}>
        {name}
      </Link>
    ),
  },
  { name: t('explain.outcome'), cell: ({ outcome }) => <RuleOutcomeLabel outcome={outcome} /> },
  { name: t('explain.reason'), className: 'breaks', cell: ({ reason }) => reason },
];

function About({ explanation: { event } }: ExplanationProps) {
  const { attributes, producer, eventId, actor, at, receivedAt, correlationId, payload } = event;
  return (
    <Section title={t('explain.event')}>
      <div className="stack" style={{ paddingBlock: 12 }}>
        <Facts look="page">
          {attributes.some(({ name }) => SUBJECTS.includes(name)) && (
            <Fact label={t('explain.subject')}>
              <Subject attributes={attributes} />
            </Fact>
          )}
          <Fact label={t('event.at')} at={at} />
          <Fact label={t('event.received')} at={receivedAt} />
          <Fact label={t('event.producer')} code={`${producer} ${eventId}`} />
          <Fact label={t('event.actor')}>{optional(actor, t('none'), (name) => name)}</Fact>
          {attributes.map(({ name, value }) => (
            <Fact key={name} label={name} code={value} />
          ))}
          <Fact label={t('delivery.correlation')} code={correlationId} />
        </Facts>
        <CollapsedCode label={t('event.payload')} text={readable(payload)} wrap />
      </div>
    </Section>
  );
}

/** Attributes that name a page of the console. */
const SUBJECTS = ['deploymentId', 'releaseId', 'environmentId', 'channelId', 'promotionId'];

/** Links to the pages of the things that an event names. */
function Subject({ attributes }: Pick<EventExplanationFragment['event'], 'attributes'>) {
  const of = (name: string) => attributeOf(attributes, name);
  const [deployment, release, environment, channel, promotion] = SUBJECTS.map(of);
  const links = [
    promotion && (
      <Link to="/inbox" search={{ item: promotion }}>
        {t('subject.promotion')}
      </Link>
    ),
    deployment && (
      <Link to="/deployments/$id" params={{ id: deployment }}>
        {t('subject.deployment')}
      </Link>
    ),
    release && (
      <Link to="/releases/$id" params={{ id: release }}>
        {t('subject.release')}
      </Link>
    ),
    environment && (
      <Link to="/environments/$id" params={{ id: environment }}>
        {of('environment') ?? t('subject.environment')}
      </Link>
    ),
    channel && (
      <Link to="/notify/channels/$id" params={{ id: channel }}>
        {of('channel') ?? t('delivery.channel')}
      </Link>
    ),
  ];
  return (
    <p>
      {t('subject.open')}
      {links.map((link, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the links have one order.
        <Fragment key={at}>{link && <> {link}</>}</Fragment>
      ))}
    </p>
  );
}
