import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFields } from '../../lib/form-fields.ts';
import { addressOf, fieldOfPath, settingsOf } from './channel-input.ts';

const form = (values: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return readFields(data);
};
const choices = { slackMode: 'webhook', longSchedule: false } as const;

test('an empty credential is left out, so that the saved one stays', () => {
  assert.deepEqual(settingsOf('TEAMS', form({ webhookUrl: '' }), choices), { teams: {} });
  assert.deepEqual(settingsOf('SLACK', form({}), choices).slack?.credential, undefined);
  assert.deepEqual(settingsOf('SLACK', form({ botToken: 'xoxb', channel: 'C1' }), { ...choices, slackMode: 'bot' }), {
    slack: { config: { channel: 'C1', apiUrl: null }, credential: { botToken: 'xoxb' } },
  });
});

test('the form of a bot keeps the base address of its API', () => {
  const fields = form({ channel: 'C1', apiUrl: 'https://slack.example/api' });
  assert.deepEqual(settingsOf('SLACK', fields, { ...choices, slackMode: 'bot' }), {
    slack: { config: { channel: 'C1', apiUrl: 'https://slack.example/api' } },
  });
});

test('a mail channel has its recipients as a list', () => {
  const fields = form({
    host: 'smtp.example',
    port: '587',
    security: 'STARTTLS',
    from: 'a@example',
    to: 'b@example, c@example',
  });
  assert.deepEqual(settingsOf('EMAIL', fields, choices), {
    email: {
      config: {
        host: 'smtp.example',
        port: 587,
        security: 'STARTTLS',
        from: 'a@example',
        to: ['b@example', 'c@example'],
      },
    },
  });
});

test('a channel is shown by its address, and refusals by the fields of the form', () => {
  assert.equal(addressOf('EMAIL', '{"host":"smtp.example","to":["b@example"]}'), 'b@example · smtp.example');
  assert.equal(fieldOfPath('email.config.to.0'), 'to');
  assert.equal(fieldOfPath('slack.credential'), 'credential');
  assert.equal(fieldOfPath('name'), 'name');
});
