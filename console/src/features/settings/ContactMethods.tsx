import { useState } from 'react';
import {
  AddContactMethodDocument,
  ConfirmContactMethodDocument,
  type ContactMethodRowFragment,
  MyNotificationsDocument,
  type MyNotificationsQuery,
  RemoveContactMethodDocument,
  ResendContactMethodCodeDocument,
  SetContactMethodMutedKindsDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { actionsColumn, RowAction } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button, RowButton } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { toast } from '../../ui/Toast.tsx';
import { field, t } from './labels.ts';

type Channel = MyNotificationsQuery['contactChannels'][number];

type ContactMethodsProps = {
  readonly methods: readonly ContactMethodRowFragment[];
  readonly channels: readonly Channel[];
  readonly confirm: (methodId: string) => void;
};

/** Addresses of the user, with their state. */
export const ContactMethods = ({ methods, channels, confirm }: ContactMethodsProps) => (
  <DataTable
    label={t('methods.title')}
    labelled
    empty={t('methods.empty')}
    rows={methods}
    columns={[
      { name: t('method.address'), className: 'breaks', cell: ({ address }) => address },
      {
        name: t('method.channel'),
        className: 'soft',
        cell: ({ channelId }) => channels.find(({ id }) => id === channelId)?.name ?? t('method.noChannel'),
      },
      { name: t('method.state'), cell: (method) => <MethodState {...method} /> },
      actionsColumn((method: ContactMethodRowFragment) => (
        <span className="row" style={{ justifyContent: 'end' }}>
          {(method.verifiedAt === null || method.suppressedReason !== null) && (
            <RowButton label={t('method.verify.title', { address: method.address })} press={() => confirm(method.id)}>
              {t('method.verify')}
            </RowButton>
          )}
          {method.mutedKinds.length > 0 && <UnmuteMethod {...method} />}
          <RemoveMethod {...method} />
        </span>
      )),
    ]}
  />
);

function MethodState({ verifiedAt, suppressedReason, mutedKinds }: ContactMethodRowFragment) {
  if (suppressedReason !== null)
    return (
      <StateLabel look="failed" wrap>
        {t('method.suppressed', { reason: suppressedReason })}
      </StateLabel>
    );
  if (verifiedAt === null) return <StateLabel look="unverified">{t('method.unverified')}</StateLabel>;
  return (
    <>
      <StateLabel look="verified">{t('method.verified')}</StateLabel>
      {mutedKinds.length > 0 && <p className="small quiet">{t('method.muted', { kinds: mutedKinds.join(', ') })}</p>}
    </>
  );
}

const UnmuteMethod = ({ id, address, mutedKinds }: ContactMethodRowFragment) => (
  <RowAction
    label={t('method.unmute.title', { address })}
    document={SetContactMethodMutedKindsDocument}
    input={{ id, mutedKinds: [] }}
    title={t('method.unmute.title', { address })}
    lead={t('method.unmute.lead', { kinds: mutedKinds.join(', ') })}
    verb={t('method.unmute')}
    done={t('method.unmuted', { address })}
    refetch={[MyNotificationsDocument]}
  >
    {t('method.unmute')}
  </RowAction>
);

const RemoveMethod = ({ id, address }: ContactMethodRowFragment) => (
  <RowAction
    label={t('component.remove', { name: address })}
    document={RemoveContactMethodDocument}
    input={{ id }}
    title={t('method.remove', { address })}
    lead={t('method.remove.lead')}
    verb={t('method.remove.verb')}
    done={t('method.removed', { address })}
    refetch={[MyNotificationsDocument]}
  >
    {t('target.remove')}
  </RowAction>
);

type AddProps = {
  readonly channels: readonly Channel[];
  readonly added: (methodId: string) => void;
  readonly close: () => void;
};

/** Dialog that adds an address; the one for its code follows. */
export function AddContactMethod({ channels, added, close }: AddProps) {
  const [channelId, choose] = useState(channels[0]?.id ?? '');
  const kind = channels.find(({ id }) => id === channelId)?.type;
  return (
    <FormDialog
      document={AddContactMethodDocument}
      input={({ text, need }) => {
        need('address');
        return { channelId, address: text('address') };
      }}
      onDone={({ addContactMethod: { id } }) => added(id)}
      refetch={[MyNotificationsDocument]}
      title={t('method.add')}
      verb={t('method.add.verb')}
      close={close}
    >
      <p className="soft">{t('method.add.lead')}</p>
      <Select
        name="channelId"
        label={t('method.channel')}
        value={channelId}
        options={channels.map(({ id, name }) => ({ value: id, label: name }))}
        onValue={choose}
      />
      <TextField
        {...field('address', 'method.address')}
        hint={kind === 'SLACK' || kind === 'WEBHOOK' ? t(`method.hint.${kind}`) : t('method.hint.EMAIL')}
        maxLength={2048}
        autoFocus
      />
    </FormDialog>
  );
}

type ConfirmProps = { readonly method: ContactMethodRowFragment | undefined; readonly close: () => void };

/** Dialog for the code of an address. */
export function ConfirmCode({ method, close }: ConfirmProps) {
  const resend = useAction(ResendContactMethodCodeDocument);
  if (!method) return null;
  const { id, address } = method;
  const sendAgain = async () => {
    if ((await resend.run({ id })) !== undefined) toast(t('code.sent', { address }));
  };
  return (
    <FormDialog
      document={ConfirmContactMethodDocument}
      input={({ text }) => ({ id, code: text('code') })}
      done={t('method.confirmed', { address })}
      refetch={[MyNotificationsDocument]}
      title={t('method.verify.title', { address })}
      verb={t('method.verify')}
      keeps={false}
      close={close}
    >
      <p className="soft">{t('code.lead', { address })}</p>
      <TextField {...field('code', 'code')} inputMode="numeric" maxLength={6} autoFocus />
      <p>
        <Button type="button" onClick={() => void sendAgain()} busy={resend.busy}>
          {t('code.resend')}
        </Button>
      </p>
      <ActionError problem={resend.problem} />
    </FormDialog>
  );
}
