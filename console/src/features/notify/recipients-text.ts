import { listText } from '../../lib/i18n.ts';
import { t } from './labels.ts';
import type { RecipientsRow } from './rule-draft.ts';

/** People whom an action tells, in words. */
export const recipientsText = ({
  approvers,
  users,
  roles,
}: Pick<RecipientsRow, 'approvers' | 'roles'> & {
  readonly users: readonly { readonly displayName: string }[];
}): string =>
  listText([
    ...(approvers ? [t('recipients.approvers')] : []),
    ...roles.map((role) => t('recipients.role', { role })),
    ...users.map(({ displayName }) => displayName),
  ]);
