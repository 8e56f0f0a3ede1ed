import { useState } from 'react';
import {
  CreateQuietHoursDocument,
  CreateTimeIntervalDocument,
  NotificationChannelsDocument,
  NotificationPoliciesDocument,
  type Weekday,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { settings } from '../../lib/settings.ts';
import { zones } from '../../lib/time.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { channelOptions } from './DeliveriesPage.tsx';
import { field, t } from './labels.ts';

type Close = { readonly close: () => void };

const WEEKDAYS = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const satisfies readonly Weekday[];

/** Dialog that names weekly hours, to which the actions of rules refer. */
export function CreateInterval({ close }: Close) {
  const [days, choose] = useState<readonly Weekday[]>([]);
  return (
    <FormDialog
      document={CreateTimeIntervalDocument}
      problems={(problems) =>
        problems.map((problem) => ({ ...problem, field: problem.field.replace(/^periods\.0\.(times\.0\.)?/, '') }))
      }
      input={({ text }) => ({
        name: text('name'),
        timeZone: text('timeZone'),
        periods: [{ ...(days.length > 0 && { weekdays: [...days] }), times: [{ from: text('from'), to: text('to') }] }],
      })}
      done={({ saved }) => t('silences.created.interval', { name: saved.name })}
      refetch={[NotificationPoliciesDocument]}
      title={t('silences.create.interval')}
      verb={t('silences.verb.interval')}
      close={close}
    >
      <p className="soft">{t('silences.createLead.interval')}</p>
      <TextField {...field('name', 'silence.name')} maxLength={100} autoFocus />
      <HoursFields days={days} choose={choose} />
    </FormDialog>
  );
}

/** Dialog that keeps a channel quiet for some hours: it gets critical messages only, and others wait. */
export function CreateQuietHours({ close }: Close) {
  const [days, choose] = useState<readonly Weekday[]>([]);
  const { data } = useLiveQuery(NotificationChannelsDocument, {});
  return (
    <FormDialog
      document={CreateQuietHoursDocument}
      input={({ text }) => ({
        name: text('name'),
        channelId: text('channelId'),
        timeZone: text('timeZone'),
        from: text('from'),
        to: text('to'),
        ...(days.length > 0 && { weekdays: [...days] }),
      })}
      done={({ saved }) => t('silences.created.quietHours', { name: saved.name })}
      refetch={[NotificationPoliciesDocument]}
      title={t('silences.create.quietHours')}
      verb={t('silences.verb.quietHours')}
      close={close}
    >
      <p className="soft">{t('silences.createLead.quietHours')}</p>
      <TextField {...field('name', 'silence.name')} maxLength={100} autoFocus />
      <Select
        name="channelId"
        label={t('delivery.channel')}
        options={[{ value: '', label: t('action.choose') }, ...channelOptions(data?.notificationChannels)]}
      />
      <HoursFields days={days} choose={choose} to="07:00" />
    </FormDialog>
  );
}

type HoursFieldsProps = {
  readonly days: readonly Weekday[];
  readonly choose: (days: readonly Weekday[]) => void;
  /** End that is offered; the end of the day unless given. */
  readonly to?: string;
};

const HoursFields = ({ days, choose, to = '24:00' }: HoursFieldsProps) => (
  <>
    <CheckboxGroup
      name="weekdays"
      legend={t('interval.weekdays')}
      hint={t('interval.weekdays.hint')}
      options={WEEKDAYS.map((value) => ({ value, label: t(`interval.day.${value}`) }))}
      chosen={days}
      choose={choose}
    />
    <TextField {...field('from', 'interval.from')} defaultValue="22:00" />
    <TextField {...field('to', 'interval.to')} defaultValue={to} />
    <Select
      name="timeZone"
      label={t('interval.zone')}
      defaultValue={settings().zone}
      options={zones().map((value) => ({ value, label: value }))}
    />
  </>
);
