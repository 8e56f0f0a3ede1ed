import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type ChannelDetailFragment,
  CreateNotificationChannelDocument,
  NotificationChannelsDocument,
  type NotificationChannelType,
  UpdateNotificationChannelDocument,
} from '../../generated/operations.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { CloseFooter } from '../../ui/DialogFooter.tsx';
import { Checkbox, SegmentedControl, Select, TextField } from '../../ui/Form.tsx';
import { ChannelSecret } from './ChannelSecret.tsx';
import {
  CHANNEL_TYPES,
  configOf,
  fieldOfPath,
  MAIL_SECURITIES,
  SLACK_MODES,
  type SlackMode,
  settingsOf,
} from './channel-input.ts';
import { field, t } from './labels.ts';

type Close = { readonly close: () => void };

const formProblems = (problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.map((problem) => ({ ...problem, field: fieldOfPath(problem.field) }));

/** Dialog that adds a channel. A webhook's secret is shown here and nowhere else. */
export function CreateChannel({ close }: Close) {
  const navigate = useNavigate();
  const [type, choose] = useState<NotificationChannelType>('WEBHOOK');
  const choices = useChoices();
  const open = (id: string) => {
    close();
    void navigate({ to: '/notify/channels/$id', params: { id } });
  };
  return (
    <FormDialog
      document={CreateNotificationChannelDocument}
      problems={formProblems}
      input={(fields) => ({
        name: fields.text('name'),
        ...settingsOf(type, fields, choices),
        ...(canCarry(type, choices) && { forPeople: choices.forPeople }),
      })}
      done={({ createNotificationChannel: { channel } }) => t('channel.created', { name: channel.name })}
      result={({ createNotificationChannel: { channel, secret } }) =>
        secret === null ? (
          <CreatedChannel name={channel.name} open={() => open(channel.id)} />
        ) : (
          <ChannelSecret secret={secret} close={() => open(channel.id)} />
        )
      }
      guarded={type === 'WEBHOOK'}
      refetch={[NotificationChannelsDocument]}
      title={t('channel.create')}
      verb={t('channel.create.verb')}
      keeps={false}
      wide
      close={close}
    >
      <Select
        name="type"
        label={t('channel.type')}
        hint={t(`channel.type.${type}.lead`)}
        value={type}
        options={CHANNEL_TYPES.map((value) => ({ value, label: t(`channel.type.${value}`) }))}
        onValue={(value) => choose(CHANNEL_TYPES.find((one) => one === value) ?? type)}
      />
      <Fields type={type} choices={choices} />
    </FormDialog>
  );
}

/** Next step after a channel was added. */
const CreatedChannel = ({ name, open }: { readonly name: string; readonly open: () => void }) => (
  <div className="stack">
    <p className="soft">{t('channel.created.next', { name })}</p>
    <CloseFooter label={t('channel.created.open')} close={open} />
  </div>
);

/** Dialog that changes a channel; its type stays. */
export function EditChannel({ channel, close }: Close & { readonly channel: ChannelDetailFragment }) {
  const { id, name, type } = channel;
  // The version that the form was opened with: a change made elsewhere is not overwritten.
  const [expectedVersion] = useState(channel.version);
  const choices = useChoices(channel);
  return (
    <FormDialog
      document={UpdateNotificationChannelDocument}
      problems={formProblems}
      input={(fields) => ({
        id,
        expectedVersion,
        name: fields.text('name'),
        ...settingsOf(type, fields, choices),
        ...(canCarry(type, choices) && { forPeople: choices.forPeople }),
      })}
      done={({ updateNotificationChannel: saved }) => t('channel.saved', { name: saved.name })}
      title={t('notify.edit', { name })}
      verb={t('save')}
      keeps={false}
      wide
      close={close}
    >
      <Fields type={type} choices={choices} channel={channel} />
    </FormDialog>
  );
}

function useChoices(channel?: ChannelDetailFragment) {
  const config = channel === undefined ? {} : configOf(channel.config);
  const [slackMode, chooseMode] = useState<SlackMode>(config.channel === undefined ? 'webhook' : 'bot');
  const [longSchedule, setLong] = useState(config.longSchedule === 'true');
  const [forPeople, setForPeople] = useState(channel?.forPeople ?? false);
  return { slackMode, chooseMode, longSchedule, setLong, forPeople, setForPeople };
}

type Choices = ReturnType<typeof useChoices>;

/** Whether people may have addresses of their own on a channel: Slack needs a bot. */
const canCarry = (type: NotificationChannelType, { slackMode }: Choices): boolean =>
  type === 'EMAIL' || type === 'WEBHOOK' || (type === 'SLACK' && slackMode === 'bot');

type FieldsProps = {
  readonly type: NotificationChannelType;
  readonly choices: Choices;
  readonly channel?: ChannelDetailFragment;
};

/** Fields of a channel by its type. */
function Fields({ type, choices, channel }: FieldsProps) {
  const config = channel === undefined ? {} : configOf(channel.config);
  const plain = (name: string, key: Parameters<typeof field>[1]) => (
    <TextField key={`${type}.${name}`} {...field(name, key)} defaultValue={config[name] ?? ''} maxLength={2000} />
  );
  const secret = (name: string, key: Parameters<typeof field>[1]) => (
    <TextField
      key={`${type}.${name}`}
      {...field(name, key)}
      {...(channel !== undefined && { hint: t('channel.credential.kept') })}
      type="password"
      maxLength={2000}
    />
  );
  return (
    <>
      <TextField {...field('name', 'channel.name')} defaultValue={channel?.name ?? ''} maxLength={100} autoFocus />
      {type === 'WEBHOOK' && (
        <>
          {plain('url', 'channel.url')}
          <Checkbox label={t('channel.longSchedule')} checked={choices.longSchedule} onValue={choices.setLong} />
        </>
      )}
      {type === 'SLACK' && (
        <>
          <SegmentedControl
            label={t('channel.slackMode')}
            value={choices.slackMode}
            options={SLACK_MODES.map((value) => ({ value, label: t(`channel.slackMode.${value}`) }))}
            choose={choices.chooseMode}
          />
          {choices.slackMode === 'bot' ? (
            <>
              {secret('botToken', 'channel.botToken')}
              {plain('channel', 'channel.slackChannel')}
              {plain('apiUrl', 'channel.apiUrl')}
            </>
          ) : (
            secret('webhookUrl', 'channel.slackWebhook')
          )}
        </>
      )}
      {type === 'TEAMS' && secret('webhookUrl', 'channel.teamsWebhook')}
      {type === 'PAGERDUTY' && (
        <>
          {secret('routingKey', 'channel.routingKey')}
          {plain('eventsUrl', 'channel.eventsUrl')}
        </>
      )}
      {type === 'EMAIL' && (
        <>
          {plain('host', 'channel.host')}
          <TextField {...field('port', 'channel.port')} defaultValue={config.port ?? '465'} inputMode="numeric" />
          <Select
            name="security"
            label={t('channel.security')}
            defaultValue={config.security?.toUpperCase() ?? 'TLS'}
            options={MAIL_SECURITIES.map((value) => ({ value, label: t(`channel.security.${value}`) }))}
          />
          {plain('from', 'channel.from')}
          {plain('to', 'channel.to')}
          {secret('username', 'channel.username')}
          {secret('password', 'channel.password')}
        </>
      )}
      {canCarry(type, choices) && (
        <Checkbox label={t('channel.forPeople')} checked={choices.forPeople} onValue={choices.setForPeople} />
      )}
    </>
  );
}
