import { useState } from 'react';
import {
  type ContactMethodRowFragment,
  MyNotificationsDocument,
  type NotificationPreferencesFormFragment,
  SetMyNotificationPreferencesDocument,
  type Weekday,
} from '../../generated/operations.ts';
import { zones } from '../../lib/time.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';

const WEEKDAYS: readonly Weekday[] = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
/** Languages that Landfall's own messages have. */
const LOCALES = ['en-US', 'de'];

type PreferencesFormProps = {
  readonly preferences: NotificationPreferencesFormFragment;
  readonly methods: readonly ContactMethodRowFragment[];
  readonly close: () => void;
};

type WaitsByMethod = ReadonlyMap<string, number>;

const waitsOf = (preferences: NotificationPreferencesFormFragment) => {
  const by = (ids: readonly string[], minutes: readonly number[]): WaitsByMethod =>
    new Map(ids.map((id, at) => [id, minutes[at] ?? 0]));
  return {
    defaults: by(preferences.defaultMethods, preferences.defaultWaits),
    important: by(preferences.importantMethods, preferences.importantWaits),
  };
};

type WaitsProps = {
  readonly name: 'defaultWaits' | 'importantWaits';
  readonly chosen: readonly string[];
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly waits: WaitsByMethod;
};

/** Minutes that each address of a list waits after the one before it. */
const Waits = ({ name, chosen, options, waits }: WaitsProps) =>
  chosen
    .slice(1)
    .map((id, at) => (
      <TextField
        key={id}
        name={`${name}.${at + 1}`}
        label={t('list.wait', { address: options.find(({ value }) => value === id)?.label ?? '' })}
        hint={t('list.wait.hint')}
        defaultValue={String(waits.get(id) ?? 0)}
        inputMode="numeric"
        maxLength={4}
      />
    ));

/** Dialog of how the user is told: lists of addresses, zone, language and quiet hours. */
export function PreferencesForm({ preferences, methods, close }: PreferencesFormProps) {
  const { timeZone, locale, quietHours } = preferences;
  const options = methods.map(({ id, address }) => ({ value: id, label: address }));
  const known = (ids: readonly string[]) => ids.filter((id) => options.some(({ value }) => value === id));
  const [defaults, setDefaults] = useState(known(preferences.defaultMethods));
  const [important, setImportant] = useState(known(preferences.importantMethods));
  const [days, setDays] = useState<readonly Weekday[]>(quietHours?.weekdays ?? []);
  return (
    <FormDialog
      document={SetMyNotificationPreferencesDocument}
      input={({ text, maybe, need, whole }) => {
        const from = maybe('quietHours.from');
        const to = maybe('quietHours.to');
        if (from !== null) need('quietHours.to');
        if (to !== null) need('quietHours.from');
        const weekdays = days.length === 0 ? null : [...days];
        return {
          timeZone: text('timeZone'),
          locale: text('locale'),
          quietHours: from === null || to === null ? null : { from, to, weekdays },
          defaultMethods: [...defaults],
          importantMethods: [...important],
          defaultWaits: defaults.map((_, at) => whole(`defaultWaits.${at}`) ?? 0),
          importantWaits: important.map((_, at) => whole(`importantWaits.${at}`) ?? 0),
        };
      }}
      done={t('preferences.saved')}
      refetch={[MyNotificationsDocument]}
      title={t('preferences.title')}
      verb={t('preferences.verb')}
      wide
      close={close}
    >
      {options.length > 0 && (
        <>
          <CheckboxGroup
            name="defaultMethods"
            legend={t('list.default')}
            hint={t('list.hint')}
            options={options}
            chosen={defaults}
            choose={(chosen) => setDefaults([...chosen])}
          />
          <Waits name="defaultWaits" chosen={defaults} options={options} waits={waitsOf(preferences).defaults} />
          <CheckboxGroup
            name="importantMethods"
            legend={t('list.important')}
            hint={t('list.hint')}
            options={options}
            chosen={important}
            choose={(chosen) => setImportant([...chosen])}
          />
          <Waits name="importantWaits" chosen={important} options={options} waits={waitsOf(preferences).important} />
        </>
      )}
      <Select
        name="timeZone"
        label={t('preferences.zone')}
        defaultValue={timeZone}
        options={[...new Set([timeZone, ...zones()])].map((zone) => ({
          value: zone,
          label: zone.replaceAll('_', ' '),
        }))}
      />
      <Select
        name="locale"
        label={t('preferences.language')}
        defaultValue={locale}
        options={[...new Set([locale, ...LOCALES])].map((tag) => ({
          value: tag,
          label: new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag,
        }))}
      />
      <TextField
        {...field('quietHours.from', 'quiet.from')}
        hint={t('quiet.hint')}
        defaultValue={quietHours?.from ?? ''}
        maxLength={5}
      />
      <TextField {...field('quietHours.to', 'quiet.to')} defaultValue={quietHours?.to ?? ''} maxLength={5} />
      <CheckboxGroup
        name="quietHours.weekdays"
        legend={t('quiet.weekdays')}
        hint={t('quiet.weekdays.hint')}
        options={WEEKDAYS.map((day) => ({ value: day, label: t(`weekday.${day}`) }))}
        chosen={days}
        choose={setDays}
      />
    </FormDialog>
  );
}
