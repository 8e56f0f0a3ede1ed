import { useState } from 'react';
import { CreateRegistrationTokenDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Form, Select, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { copy } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

type Token = { readonly name: string; readonly value: string; readonly agentUrl: string; readonly expiresAt: string };

/** Makes a one-time token for an agent. Its value is on this page and nowhere else; closing the dialog forgets it. */
export function RegistrationToken({
  environments,
  close,
}: {
  readonly environments: readonly { readonly id: string; readonly name: string }[];
  readonly close: () => void;
}) {
  const [token, setToken] = useState<Token>();
  return (
    <Dialog title={t('agents.register')} close={close} wide guarded={token !== undefined}>
      {token === undefined ? (
        <Ask environments={environments} close={close} made={setToken} />
      ) : (
        <Shown token={token} close={close} />
      )}
    </Dialog>
  );
}

function Ask({
  environments,
  close,
  made,
}: {
  readonly environments: readonly { readonly id: string; readonly name: string }[];
  readonly close: () => void;
  readonly made: (token: Token) => void;
}) {
  const verb = useAction(CreateRegistrationTokenDocument);
  const submit = async (data: FormData) => {
    const environment = String(data.get('environmentIds'));
    const name = String(data.get('name'));
    const done = await verb.run({
      name,
      ttlSeconds: Number(data.get('ttlSeconds')),
      ...(environment === '' ? {} : { environmentIds: [environment] }),
    });
    if (done !== undefined) made({ name, ...done.createRegistrationToken });
  };
  return (
    <Form problems={verb.problem?.fields} submit={submit}>
      <p className="soft">{t('token.lead')}</p>
      <TextField name="name" label={t('token.name')} hint={t('token.name.hint')} maxLength={64} required autoFocus />
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
          ...environments.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <FormFoot act={verb} verb={t('token.make')} close={close} />
    </Form>
  );
}

/** What starts an agent beside what it deploys. */
const command = ({ name, value, agentUrl }: Token): string =>
  `LANDFALL_AGENT_TOKEN=${value} node_modules/.bin/node subgraphs/agent/main.ts --server ${agentUrl} --state /var/lib/landfall-agent --name ${name}`;

function Shown({ token, close }: { readonly token: Token; readonly close: () => void }) {
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
