import { useApolloClient } from '@apollo/client/react';
import {
  RemoveTrustedSignerDocument,
  type SignerRowFragment,
  TrustedSignersDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** Trusts somebody no longer: what they signed counts for nothing from then on. */
export function RemoveSigner({
  signer: { id, name, version },
  close,
}: {
  readonly signer: SignerRowFragment;
  readonly close: () => void;
}) {
  const verb = useAction(RemoveTrustedSignerDocument);
  const client = useApolloClient();
  const remove = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('signer.removed', { name }));
    close();
    await client.refetchQueries({ include: [TrustedSignersDocument] });
  };
  return (
    <ConfirmDialog
      title={t('signer.remove.title', { name })}
      lead={t('signer.remove.lead')}
      verb={t('signer.remove.verb')}
      act={verb}
      run={remove}
      close={close}
    />
  );
}
