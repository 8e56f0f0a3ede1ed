import { t } from '../lib/i18n.ts';
import styles from './StateLabel.module.css';
import { StateLabel } from './StateLabel.tsx';

export type Permission = { readonly allowed: boolean; readonly code?: string | null; readonly reason?: string | null };

/** Permission of an action that needs a scope the user lacks. */
export const SCOPE_DENIED: Permission = { allowed: false, code: 'PERM_SCOPE_DENIED' };

type ForbiddenProps = {
  readonly permission: Permission;
  /** Action that is forbidden, for the sentence about a missing scope. */
  readonly action?: 'approve' | 'prove';
};

export function Forbidden({ permission: { code, reason }, action }: ForbiddenProps) {
  return (
    <p className={styles.forbidden}>
      <StateLabel look="held-attention" wrap>
        {action !== undefined && code === 'PERM_SCOPE_DENIED' ? t(`forbidden.${action}`) : reason}
      </StateLabel>
      <span className="code small quiet">{code}</span>
    </p>
  );
}

type ScannerScope = 'scanner.scans.read' | 'scanner.scans.write';

type ForbiddenActionProps = {
  readonly name: string;
  /** Scope that the action needs. */
  readonly scope:
    | 'orch:operate'
    | 'orch:admin'
    | 'authority:admin'
    | 'advisory-ai:operate'
    | 'advisory-ai:admin'
    | 'airgap:status:read'
    | 'export.viewer'
    | 'notify.viewer'
    | ScannerScope;
  readonly permission: Permission;
};

/** Rule in place of one forbidden action among several, with the action's name. */
export function ForbiddenAction({ name, scope, permission }: ForbiddenActionProps) {
  const reason =
    permission.code === 'PERM_SCOPE_DENIED'
      ? t('forbidden.scope', { name, scope })
      : t('actions.forbidden', { names: name, reason: permission.reason ?? '' });
  return <Forbidden permission={{ ...permission, reason }} />;
}
