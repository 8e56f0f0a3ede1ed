import { useState } from 'react';
import {
  type NotificationRuleDraftInput,
  type ReplayedPeopleTextFragment,
  ReplayNotificationRoutingDocument,
  type ReplayNotificationRoutingQuery,
} from '../../generated/operations.ts';
import { count, listText } from '../../lib/i18n.ts';
import { useAnswer } from '../../lib/use-answer.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { SegmentedControl } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { Section } from '../../ui/Section.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { attributeText } from './event-facts.ts';
import { t } from './labels.ts';
import { recipientsText } from './recipients-text.ts';

const DAYS = ['1', '7', '30'] as const;
const DAY_MS = 86_400_000;

type ReplayProps = {
  /** Rule that is added, or takes the place of the saved one; without it the rules in force are compared. */
  readonly rule: (() => NotificationRuleDraftInput) | undefined;
};

/** Comparison of what the rules want for the events of a period with what the rules of the time wanted. */
export function Replay({ rule }: ReplayProps) {
  const [days, choose] = useState<(typeof DAYS)[number]>('7');
  const { data, problem, busy, ask } = useAnswer(ReplayNotificationRoutingDocument);
  const compare = () => {
    const to = new Date();
    const from = new Date(to.getTime() - Number(days) * DAY_MS);
    void ask({ from: from.toISOString(), to: to.toISOString(), rule: rule?.() ?? null });
  };
  return (
    <Section title={t('replay.title')}>
      <div className="stack" style={{ paddingBlock: 12, gap: 8 }}>
        <p className="soft">{t(rule === undefined ? 'replay.lead' : 'replay.lead.draft')}</p>
        <div className="row" style={{ flexWrap: 'wrap' }}>
          <SegmentedControl
            label={t('replay.period')}
            value={days}
            options={DAYS.map((value) => ({ value, label: t('replay.days', { n: Number(value) }) }))}
            choose={choose}
          />
          <Button busy={busy} onClick={compare}>
            {t('replay.compare')}
          </Button>
        </div>
        <ActionError problem={problem} />
        {data && <Result replay={data.replayNotificationRouting} />}
      </div>
    </Section>
  );
}

/** People whom an action tells, in words. */
const peopleText = ({ approvers, role, user }: Omit<ReplayedPeopleTextFragment, '__typename'>): string =>
  recipientsText({ approvers, users: user === null ? [] : [user], roles: role === null ? [] : [role] });

type Answer = ReplayNotificationRoutingQuery['replayNotificationRouting'];

function Result({ replay }: { readonly replay: Answer }) {
  const { events, before, after, channels, recipients, differing, differences, partialReason } = replay;
  const names = new Map(channels.map(({ channelId, channel }) => [channelId, channel?.name ?? t('channel.removed')]));
  const named = (ids: readonly string[], people: readonly ReplayedPeopleTextFragment[] = []) =>
    listText([...ids.map((id) => names.get(id) ?? id), ...people.map(peopleText)]);
  const told = [
    ...channels.map(({ channelId, ...numbers }) => ({ ...numbers, id: channelId, name: named([channelId]) })),
    ...recipients.map((each) => ({ ...each, id: peopleText(each), name: peopleText(each) })),
  ];
  return (
    <>
      <p role="status">
        {t('replay.result', { events, before, after })} {partialReason}
      </p>
      {told.length > 0 && (
        <DataTable
          label={t('replay.channels')}
          columns={[
            { name: t('replay.told'), className: 'breaks', cell: ({ name }) => name },
            { name: t('replay.before'), number: true, cell: (row) => count(row.before) },
            { name: t('replay.after'), number: true, cell: (row) => count(row.after) },
          ]}
          rows={told}
          rowId={({ id }) => id}
          labelled
        />
      )}
      {differing > 0 && (
        <TableSection
          title={t('replay.differences')}
          count={
            differing > differences.length
              ? t('replay.some', { n: differences.length, of: differing })
              : count(differing)
          }
          columns={[
            {
              name: t('delivery.event'),
              className: 'breaks',
              cell: ({ event }) => (
                <Link look="name" to="/notify/explain/$eventId" params={{ eventId: event.id }}>
                  {event.kind}
                </Link>
              ),
            },
            {
              name: t('event.attributes'),
              className: 'breaks soft',
              cell: ({ event }) => attributeText(event.attributes),
            },
            { name: t('replay.added'), className: 'breaks', cell: (row) => named(row.added, row.addedRecipients) },
            {
              name: t('replay.removed'),
              className: 'breaks',
              cell: (row) => named(row.removed, row.removedRecipients),
            },
            { name: t('event.at'), number: true, cell: ({ event }) => <Time at={event.at} /> },
          ]}
          rows={differences}
          rowId={({ event }) => event.id}
          labelled
        />
      )}
    </>
  );
}
