import type { ReactNode } from 'react';
import { type FamilyRowFragment, RevokeFamilyDocument, TokenFamiliesDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { type ListView, useOwnView } from '../../lib/url-state.ts';
import { actionsColumn, RowAction } from '../../parts/RowAction.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { PersonLink } from '../../ui/EntityLink.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type TokenFamiliesProps = {
  readonly userId?: string;
  readonly clientId?: string;
  /** Only families that are still valid. */
  readonly live?: boolean;
  readonly list?: ListView;
  readonly side?: ReactNode;
};

/** Token families of a person, of a client, or of the tenant: one for each sign-in at a client. */
export function TokenFamilies({ userId, clientId, live = true, list, side }: TokenFamiliesProps) {
  const own = useOwnView();
  const { after = null } = (list ?? own).view;
  const variables = { userId: userId ?? null, clientId: clientId ?? null, live: live || null, after };
  const answer = useLiveQuery(TokenFamiliesDocument, variables, ['TokenFamily', 'User', 'Client']);
  return (
    <ListSection
      title={t('families')}
      side={side}
      of={answer}
      rows={({ tokenFamilies }) => tokenFamilies}
      fault={t('families.fault')}
      empty={t('families.none')}
      skeleton={3}
      columns={columns(userId === undefined)}
      list={list ?? own}
      labelled
    />
  );
}

const personColumn = (): Column<FamilyRowFragment> => ({
  name: t('person'),
  cell: ({ user }) => <PersonLink person={user} />,
});

const columns = (withPerson: boolean): readonly Column<FamilyRowFragment>[] => [
  {
    name: t('family.client'),
    cell: ({ client, clientName }) =>
      client === null ? (
        clientName
      ) : (
        <Link look="name" to="/access/clients/$id" params={{ id: client.id }}>
          {clientName}
        </Link>
      ),
  },
  ...(withPerson ? [personColumn()] : []),
  {
    // No token carries a scope that no role of the person grants.
    name: t('family.requestedScopes'),
    className: 'soft',
    cell: ({ scopes }) => <span title={scopes.join(' ')}>{t('scopes.n', { n: scopes.length })}</span>,
  },
  { name: t('family.sender'), cell: ({ sender }) => t(`tokenBinding.${sender}`) },
  { name: t('session.since'), cell: ({ signedInAt }) => <RelativeTime at={signedInAt} as="relative" /> },
  {
    name: t('family.until'),
    cell: ({ revokedAt, expiresAt }) =>
      revokedAt === null ? (
        <RelativeTime at={expiresAt} as="relative" />
      ) : (
        <StateLabel look="missing">{t('family.revoked')}</StateLabel>
      ),
  },
  actionsColumn((family) => family.revokedAt === null && <Revoke family={family} />),
];

function Revoke({ family: { id, clientName: name, user } }: { readonly family: FamilyRowFragment }) {
  const displayName = user.displayName;
  return (
    <RowAction
      label={t('family.revoke.of', { name, who: displayName })}
      document={RevokeFamilyDocument}
      input={{ id }}
      title={t('family.revoke.title', { name, who: displayName })}
      lead={t('family.revoke.lead')}
      verb={t('family.revoke.verb')}
      done={t('family.ended', { name })}
      refetch={[TokenFamiliesDocument]}
    >
      {t('family.revoke')}
    </RowAction>
  );
}
