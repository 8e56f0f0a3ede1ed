import { useState } from 'react';
import { CreateRegistrationTokenDocument } from '../../generated/operations.ts';
import { CopyOnce } from '../../parts/CopyOnce.tsx';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';

type Token = { readonly name: string; readonly value: string; readonly agentUrl: string; readonly expiresAt: string };

type RegistrationTokenProps = {
  readonly environments: readonly { readonly id: string; readonly name: string }[];
  readonly close: () => void;
};

/** Dialog that creates a one-time registration token, shown once. */
export function RegistrationToken({ environments, close }: RegistrationTokenProps) {
  const [name, write] = useState('');
  return (
    <FormDialog
      document={CreateRegistrationTokenDocument}
      input={({ raw }) => ({
        name: raw('name'),
        ttlSeconds: Number(raw('ttlSeconds')),
        ...(raw('environmentIds') !== '' && { environmentIds: [raw('environmentIds')] }),
      })}
      result={({ createRegistrationToken }) => <Created token={{ name, ...createRegistrationToken }} close={close} />}
      title={t('agents.register')}
      verb={t('token.create')}
      wide
      close={close}
    >
      <p className="soft">{t('token.lead')}</p>
      <TextField {...field('name', 'token.name')} value={name} onValue={write} maxLength={64} required autoFocus />
      <Select
        name="ttlSeconds"
        label={t('token.ttl')}
        options={[
          { value: '900', label: t('time.min', { n: 15 }) },
          { value: '3600', label: t('time.h', { n: 1 }) },
          { value: '86400', label: t('time.h', { n: 24 }) },
        ]}
      />
      <Select
        name="environmentIds"
        label={t('token.environments')}
        options={[
          { value: '', label: t('token.all') },
          ...environments.map(({ id, name: label }) => ({ value: id, label })),
        ]}
      />
    </FormDialog>
  );
}

const command = ({ name, value, agentUrl }: Token): string =>
  `LANDFALL_AGENT_TOKEN=${value} node_modules/.bin/node subgraphs/agent/main.ts --server ${agentUrl} --state /var/lib/landfall-agent --name ${name}`;

type CreatedProps = { readonly token: Token; readonly close: () => void };

function Created({ token, close }: CreatedProps) {
  const { value, expiresAt } = token;
  const run = { label: t('token.command'), text: command(token), lead: t('token.run') };
  return (
    <CopyOnce
      title={t('token.once')}
      expires={{ label: t('token.expires'), at: expiresAt }}
      values={[
        { label: t('token.value'), text: value, copy: t('token.copy'), copied: t('token.copied') },
        { ...run, copy: t('token.command.copy'), copied: t('token.command.copied') },
      ]}
      close={close}
    />
  );
}
