import { useState } from 'react';
import { CreateRegistrationTokenDocument } from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { copy } from '../../ui/Toast.tsx';
import { field, t } from './labels.ts';

type Token = { readonly name: string; readonly value: string; readonly agentUrl: string; readonly expiresAt: string };

/** Dialog that creates a one-time registration token, shown once. */
export function RegistrationToken({
  environments,
  close,
}: {
  readonly environments: readonly { readonly id: string; readonly name: string }[];
  readonly close: () => void;
}) {
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
      verb={t('token.make')}
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

/** Command that starts the agent on its host. */
const command = ({ name, value, agentUrl }: Token): string =>
  `LANDFALL_AGENT_TOKEN=${value} node_modules/.bin/node subgraphs/agent/main.ts --server ${agentUrl} --state /var/lib/landfall-agent --name ${name}`;

function Created({ token, close }: { readonly token: Token; readonly close: () => void }) {
  const { value, expiresAt } = token;
  return (
    <div className="stack">
      <Banner tone="attention" title={t('token.once')}>
        <span>
          {t('token.expires')} <RelativeTime at={expiresAt} as="relative" />
        </span>
      </Banner>
      <CodeBlock label={t('token.value')} text={value} wrap />
      <p className="soft">{t('token.run')}</p>
      <CodeBlock label={t('token.command')} text={command(token)} wrap />
      <DialogFoot>
        <Button onClick={() => copy(value, t('token.copied'))}>{t('token.copy')}</Button>
        <Button onClick={() => copy(command(token), t('token.command.copied'))}>{t('token.command.copy')}</Button>
        <Button weight="primary" onClick={close}>
          {t('close')}
        </Button>
      </DialogFoot>
    </div>
  );
}
