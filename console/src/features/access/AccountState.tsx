import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

type Account = {
  readonly active: boolean;
  readonly signIn: { readonly password: boolean; readonly passkeys: number; readonly pendingLink: boolean } | null;
};

/** State of a person's account: active, invited, or deactivated. */
export function PersonLabel({ active, signIn }: Account) {
  if (!active) return <StateLabel look="missing">{t('accountStatus.stopped')}</StateLabel>;
  if (signIn?.pendingLink === true)
    return <StateLabel look="held">{t(signIn.password ? 'accountStatus.reset' : 'accountStatus.invited')}</StateLabel>;
  return <ActiveLabel active />;
}

export const ActiveLabel = ({ active }: { readonly active: boolean }) =>
  active ? (
    <StateLabel look="verified">{t('accountStatus.active')}</StateLabel>
  ) : (
    <StateLabel look="missing">{t('accountStatus.stopped')}</StateLabel>
  );
