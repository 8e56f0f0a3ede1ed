import { useApolloClient } from '@apollo/client/react';
import {
  RemoveTrustedSignerDocument,
  type SignerRowFragment,
  TrustedSignersDocument,
} from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './words.ts';

/** Trusts somebody no longer: what they signed counts for nothing from then on. */
export function RemoveSigner({
  signer: { id, name, version },
  close,
}: {
  readonly signer: SignerRowFragment;
  readonly close: () => void;
}) {
  const verb = useVerb(RemoveTrustedSignerDocument);
  const client = useApolloClient();
  const remove = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('signer.removed', { name }));
    close();
    await client.refetchQueries({ include: [TrustedSignersDocument] });
  };
  return (
    <Dialog title={t('signer.remove.title', { name })} close={close}>
      <div className="stack">
        <p className="soft">{t('signer.remove.lead')}</p>
        <Refusal problem={verb.problem} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button weight="primary" busy={verb.busy} onClick={() => void remove()}>
            {t('signer.remove.verb')}
          </Button>
        </DialogFoot>
      </div>
    </Dialog>
  );
}
