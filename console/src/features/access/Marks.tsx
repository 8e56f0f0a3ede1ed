import { Mark } from '../../ui/Mark.tsx';
import { t } from './words.ts';

type Standing = {
  readonly active: boolean;
  readonly signIn: { readonly password: boolean; readonly passkeys: number; readonly pendingLink: boolean } | null;
};

/** How a person stands: let in, invited and not yet come, or stopped. */
export function PersonMark({ active, signIn }: Standing) {
  if (!active)
    return (
      <Mark shape="missing" tone="muted">
        {t('standing.stopped')}
      </Mark>
    );
  if (signIn?.pendingLink === true)
    return (
      <Mark shape="held" tone="waiting">
        {t(signIn.password ? 'standing.reset' : 'standing.invited')}
      </Mark>
    );
  return <ActiveMark active />;
}

/** Let in, or stopped. */
export const ActiveMark = ({ active }: { readonly active: boolean }) =>
  active ? (
    <Mark shape="verified" tone="good">
      {t('standing.active')}
    </Mark>
  ) : (
    <Mark shape="missing" tone="muted">
      {t('standing.stopped')}
    </Mark>
  );
