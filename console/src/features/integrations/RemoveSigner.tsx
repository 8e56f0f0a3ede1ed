import {
  RemoveTrustedSignerDocument,
  type SignerRowFragment,
  TrustedSignersDocument,
} from '../../generated/operations.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { t } from './labels.ts';

/** Removes a trusted signer: its signatures count for nothing from then on. */
export function RemoveSigner({
  signer: { id, name, version },
  close,
}: {
  readonly signer: SignerRowFragment;
  readonly close: () => void;
}) {
  return (
    <ConfirmAction
      document={RemoveTrustedSignerDocument}
      input={{ id, expectedVersion: version }}
      title={t('signer.remove.title', { name })}
      lead={t('signer.remove.lead')}
      verb={t('signer.remove.verb')}
      done={t('signer.removed', { name })}
      refetch={[TrustedSignersDocument]}
      close={close}
    />
  );
}
