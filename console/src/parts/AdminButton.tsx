import { t } from '../lib/i18n.ts';
import { hasScope } from '../lib/session.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';

type AdminButtonProps = { readonly label: string; readonly plus?: boolean; readonly press: () => void };

/** Button in the head of a section for administrators; the rule for other users. */
export function AdminButton({ label, plus = false, press }: AdminButtonProps) {
  if (!hasScope('orch:admin')) return <span className="small quiet">{t('forbidden.admin')}</span>;
  return (
    <Button size="small" weight="plain" onClick={press}>
      {plus && <Icon name="plus" size={14} />}
      {label}
    </Button>
  );
}
