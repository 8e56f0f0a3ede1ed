import {
  type AirGapFactsFragment,
  AirGapStateDocument,
  UnsealEnvironmentDocument,
} from '../../generated/operations.ts';
import { ReasonDialog } from '../../parts/dialogs.tsx';
import { t } from './labels.ts';

type UnsealDialogProps = { readonly airgap: AirGapFactsFragment; readonly close: () => void };

/** Question before a seal ends. */
export const UnsealDialog = ({ airgap: { version }, close }: UnsealDialogProps) => (
  <ReasonDialog
    document={UnsealEnvironmentDocument}
    input={(reason) => ({ reason, expectedVersion: version })}
    done={t('unseal.done')}
    refetch={[AirGapStateDocument]}
    title={t('unseal.title')}
    verb={t('unseal.verb')}
    close={close}
  >
    <p className="soft">{t('unseal.lead')}</p>
  </ReasonDialog>
);
